// SPDX-License-Identifier: Apache-2.0
// sasl: the client's side of a SASL exchange. Cyrus SASL computes the tokens. The caller (the ZooKeeper back end, or
// the guardian, a process that closes a dead process's sessions) sends and receives them.
//
//     auto exchange = tls::make_sasl_exchange(settings, "zk1.example.org");
//     if (!exchange.fault.empty()) return refuse(exchange.fault);
//     auto token = exchange.value->answer({});  // then the server's tokens, until is_complete()
//
// Only the module libturnstile-tls, the guardian and the command are linked with Cyrus SASL, so that programs that do
// not use SASL do not load it.
//
//     sasl_exchange   an exchange for one connection
//
// Thread safety: use an exchange from one thread; call the functions from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "turnstile/sasl_options.hpp"

namespace turnstile::tls {

// True if the client authenticates by SASL.
[[nodiscard]] inline bool is_enabled(const sasl_options& wanted) noexcept {
    return !wanted.user.empty() || wanted.mechanism == sasl_mechanism::gssapi;
}

[[nodiscard]] constexpr std::string_view name_of(sasl_mechanism which) noexcept {
    return which == sasl_mechanism::gssapi ? "GSSAPI" : "DIGEST-MD5";
}

// The largest number of tokens that a client sends in one exchange. DIGEST-MD5 needs two, GSSAPI three.
inline constexpr int k_most_sasl_tokens = 8;

// A SASL exchange for one connection.
class sasl_exchange {
public:
    sasl_exchange() = default;
    sasl_exchange(const sasl_exchange&) = delete;
    sasl_exchange& operator=(const sasl_exchange&) = delete;
    virtual ~sasl_exchange() = default;

    // Returns the client's answer to the server's token; the first token is empty. Returns nothing if the exchange has
    // failed. With GSSAPI the call may wait for Kerberos servers.
    [[nodiscard]] virtual std::optional<std::string> answer(std::string_view token) = 0;
    // True if the client expects no further token. The caller must still send the last answer, unless it is empty.
    [[nodiscard]] virtual bool is_complete() const noexcept = 0;
    [[nodiscard]] virtual std::string reason() const = 0;
};

struct sasl_outcome {
    std::unique_ptr<sasl_exchange> value{};
    // The reason why no exchange was made, with the name of the faulty file; otherwise empty.
    std::string fault{};
};

// Makes an exchange for one connection. Reads the password each time, so that a changed password takes effect. `host`:
// the server's name, for GSSAPI. is_enabled(wanted) must be true.
[[nodiscard]] sasl_outcome make_sasl_exchange(const sasl_options& wanted, const std::string& host);

// Loads Cyrus SASL and its plugins now, so that a later exchange loads nothing.
void prepare_sasl() noexcept;

}  // namespace turnstile::tls
