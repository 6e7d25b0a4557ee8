// SPDX-License-Identifier: Apache-2.0
// sasl: the client's side of a SASL exchange. Cyrus SASL computes the tokens, and the ZooKeeper back end and the
// guardian send and receive them.
//
//     auto exchange = tls::make_sasl_exchange(settings, "zk1.example.org");
//     if (!exchange.fault.empty()) return refuse(exchange.fault);
//     auto token = exchange.value->answer({});  // then the server's tokens, until is_complete()
//
// The module libturnstile-tls, the guardian and the command are linked with Cyrus SASL, so that programs without SASL
// do not load it.
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

// The largest number of tokens that the client sends in an exchange. DIGEST-MD5 needs two, GSSAPI three.
inline constexpr int k_most_sasl_tokens = 8;

// The exchange of one connection.
class sasl_exchange {
public:
    sasl_exchange() = default;
    sasl_exchange(const sasl_exchange&) = delete;
    sasl_exchange& operator=(const sasl_exchange&) = delete;
    virtual ~sasl_exchange() = default;

    // Returns the answer to the server's token; the first call gets no token. Returns nothing if the exchange has
    // failed. With GSSAPI the call may wait for the Kerberos servers.
    [[nodiscard]] virtual std::optional<std::string> answer(std::string_view token) = 0;
    // True once the client expects no further token. If the last answer is not empty, the caller must still send it.
    [[nodiscard]] virtual bool is_complete() const noexcept = 0;
    // Returns the reason for which the exchange failed.
    [[nodiscard]] virtual std::string reason() const = 0;
};

struct sasl_outcome {
    std::unique_ptr<sasl_exchange> value{};
    // The reason why there is no exchange, with the name of the file at fault; empty if there is an exchange.
    std::string fault{};
};

// Makes an exchange for one connection. Reads the password again, so that the next connection uses a changed password.
// `host`: the server's name, for GSSAPI. `wanted` must be enabled.
[[nodiscard]] sasl_outcome make_sasl_exchange(const sasl_options& wanted, const std::string& host);

// Loads all that an exchange needs, so that a later exchange loads nothing.
void prepare_sasl() noexcept;

}  // namespace turnstile::tls
