// SPDX-License-Identifier: Apache-2.0
// sasl: the client's side of a SASL exchange, by Cyrus SASL, which computes everything. The ZooKeeper back end and the
// guardian carry the tokens.
//
//     auto exchange = tls::make_sasl_exchange(settings, "zk1.example.org");
//     if (!exchange.fault.empty()) return refuse(exchange.fault);
//     auto token = exchange.value->answer({});  // then the server's tokens, until is_complete()
//
// The module libturnstile-tls, the guardian and the command are linked with Cyrus SASL, so that programs without SASL do
// not load it.
//
// Thread safety: an exchange belongs to one thread; the functions from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "turnstile/sasl_options.hpp"

namespace turnstile::tls {

// True: the client authenticates.
[[nodiscard]] inline bool is_enabled(const sasl_options& wanted) noexcept {
    return !wanted.user.empty() || wanted.mechanism == sasl_mechanism::gssapi;
}

[[nodiscard]] constexpr std::string_view name_of(sasl_mechanism which) noexcept {
    return which == sasl_mechanism::gssapi ? "GSSAPI" : "DIGEST-MD5";
}

// Most tokens of the client in an exchange: DIGEST-MD5 takes two, GSSAPI three.
inline constexpr int k_most_sasl_tokens = 8;

// An exchange for one connection.
class sasl_exchange {
public:
    sasl_exchange() = default;
    sasl_exchange(const sasl_exchange&) = delete;
    sasl_exchange& operator=(const sasl_exchange&) = delete;
    virtual ~sasl_exchange() = default;

    // Returns the answer to the server's token; the first call gets no token. Returns nothing if the exchange has
    // failed. With GSSAPI the call may wait for the Kerberos servers.
    [[nodiscard]] virtual std::optional<std::string> answer(std::string_view token) = 0;
    // True once the client expects no further token. A non-empty last answer has to be sent.
    [[nodiscard]] virtual bool is_complete() const noexcept = 0;
    // Why the exchange failed.
    [[nodiscard]] virtual std::string reason() const = 0;
};

struct sasl_outcome {
    std::unique_ptr<sasl_exchange> value{};
    // Names the file and the reason, or that there is no SASL. Empty: there is an exchange.
    std::string fault{};
};

// Reads the password, so that the next connection uses a changed one. `host`: the server's name, for GSSAPI. `wanted` is
// enabled.
[[nodiscard]] sasl_outcome make_sasl_exchange(const sasl_options& wanted, const std::string& host);

// Loads what an exchange needs, so that a later exchange loads nothing.
void prepare_sasl() noexcept;

}  // namespace turnstile::tls
