// SPDX-License-Identifier: Apache-2.0
// Reads the identities in the ACL of a znode by the request getACL. No other request shows the identity that
// access_policy::creator_only wrote.
#pragma once

#include <string>

#include "support.hpp"
#include "support/wake_up.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/byte_stream.hpp"
#include "zookeeper/raw_session.hpp"

namespace turnstile::tests {

// Bytes of ZooKeeper's protocol: big-endian numbers, and texts that follow their length.
class protocol_bytes {
public:
    explicit protocol_bytes(std::string bytes = {}) : bytes_{std::move(bytes)} {}
    protocol_bytes& put(std::uint32_t value) {
        for (const unsigned shift : {24U, 16U, 8U, 0U})
            bytes_ += static_cast<char>(value >> shift & 0xffU);
        return *this;
    }
    protocol_bytes& put(const std::string& text) {
        put(static_cast<std::uint32_t>(text.size()));
        bytes_ += text;
        return *this;
    }
    std::uint32_t number() {
        std::uint32_t value = 0;
        for (int i = 0; i != 4; ++i)
            value = value << 8U | static_cast<unsigned char>(bytes_.at(at_++));
        return value;
    }
    std::string text() {
        const auto length = number();
        at_ += length;
        return bytes_.substr(at_ - length, length);
    }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
    std::size_t at_ = 0;
};

// Returns the ACL as text ("sasl:lock "), or the server's error.
inline std::string acl_of(const std::string& where, const std::string& path) {
    constexpr std::uint32_t k_request = 77;
    constexpr std::uint32_t k_get_acl = 6;
    const auto parsed = zookeeper::parse_connect_string(where).value();
    const auto server = zookeeper::resolve(parsed.servers.front()).at(0);
    const support::wake_up never;
    const auto link = zookeeper::open_stream(server, boottime_clock::now() + limit(), never.fd());
    zookeeper::raw_session raw{*link, &server};
    if (!raw.attach({.timeout_ms = 10'000})) return raw.reason();
    const auto request = protocol_bytes{}.put(k_request).put(k_get_acl).put(path).bytes();
    std::string head(4, '\0');
    if (!link->write(protocol_bytes{}.put(request).bytes()) || !link->read(head))
        return link->reason();
    std::string body(protocol_bytes{head}.number(), '\0');
    if (!link->read(body)) return link->reason();
    protocol_bytes answer{body};
    // Skips the number of the request and of the transaction.
    for (int i = 0; i != 3; ++i) static_cast<void>(answer.number());
    if (const auto error = answer.number(); error != 0)
        return "error " + std::to_string(static_cast<std::int32_t>(error));
    std::string all;
    for (auto left = answer.number(); left != 0; --left) {
        static_cast<void>(answer.number());  // skips the permissions
        const auto scheme = answer.text();
        all += scheme + ":" + answer.text() + " ";
    }
    return all;
}

}  // namespace turnstile::tests
