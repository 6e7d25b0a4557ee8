// SPDX-License-Identifier: Apache-2.0
// sasl: the client's side of a SASL exchange, by Cyrus SASL, which computes everything. The ZooKeeper back end carries
// the tokens.
//
//     auto exchange = tls::make_sasl_exchange(settings);
//     if (!exchange.fault.empty()) return refuse(exchange.fault);
//     auto token = exchange.value->answer({});  // then the server's tokens, until is_complete()
//
// The module libturnstile-tls has it, so that programs without it do not load Cyrus SASL.
//
// Thread safety: an exchange belongs to one thread; make_sasl_exchange from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::tls {

// The user's password is the first line of the file. DIGEST-MD5 is the mechanism that ZooKeeper servers have beside
// Kerberos, and its names of service and server are fixed in their code.
struct sasl_settings {
    std::string user{};  // empty: no SASL
    std::string password_file{};
    friend bool operator==(const sasl_settings&, const sasl_settings&) = default;
};

// An exchange for one connection.
class sasl_exchange {
public:
    sasl_exchange() = default;
    sasl_exchange(const sasl_exchange&) = delete;
    sasl_exchange& operator=(const sasl_exchange&) = delete;
    virtual ~sasl_exchange() = default;

    // The answer to the server's token; the first call gets no token. Nothing: the exchange has failed.
    [[nodiscard]] virtual std::optional<std::string> answer(std::string_view token) = 0;
    // True once both sides have proved that they know the password.
    [[nodiscard]] virtual bool is_complete() const noexcept = 0;
    // Why the exchange failed.
    [[nodiscard]] virtual std::string reason() const = 0;
};

struct sasl_outcome {
    std::unique_ptr<sasl_exchange> value{};
    std::string
        fault{};  // names the file and the reason, or that there is no SASL; empty: there is an exchange
};

// Reads the password, so that the next connection uses a changed one.
[[nodiscard]] sasl_outcome make_sasl_exchange(const sasl_settings& wanted);

}  // namespace turnstile::tls
