// SPDX-License-Identifier: Apache-2.0
// server_address: the address of a server or a sentinel.
//
// Thread safety: a value and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::redis {

struct server_address {
    std::string host;  // without brackets
    std::uint16_t port = 0;
    friend bool operator==(const server_address&, const server_address&) = default;
};

// "redis1:6379", "[::1]:6379".
[[nodiscard]] std::string to_string(const server_address& address);

// Parses "host", "host:port" or "[address]:port". Returns an empty text, or the broken rule.
[[nodiscard]] std::string parse_address(std::string_view text, std::uint16_t default_port,
                                        server_address& out);

// Parses the form of a server's or a sentinel's answer: an IPv6 address has no brackets. Nothing unless the host has
// only characters of a name or an address, and the port is valid.
[[nodiscard]] std::optional<server_address> claimed_address(std::string_view host,
                                                            std::string_view port);

}  // namespace turnstile::redis
