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

// Returns the address in the form "redis1:6379" or "[::1]:6379".
[[nodiscard]] std::string to_string(const server_address& address);

// Parses "host", "host:port" or "[address]:port". Returns an empty text, or the rule that the text violates.
[[nodiscard]] std::string parse_address(std::string_view text, std::uint16_t default_port,
                                        server_address& out);

// Parses an address that a server or a sentinel has reported; a reported IPv6 address has no brackets. Returns nothing
// if the host has invalid characters or the port is invalid.
[[nodiscard]] std::optional<server_address> claimed_address(std::string_view host,
                                                            std::string_view port);

}  // namespace turnstile::redis
