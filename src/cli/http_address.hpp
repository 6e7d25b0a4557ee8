// SPDX-License-Identifier: Apache-2.0
// http_address: the address of `turnstile elect --http`: "8080", "127.0.0.1:8080", "[::1]:8080", "0.0.0.0:8080".
//
// Thread safety: a value and a pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::cli {

struct http_address {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;  // 0: any free port
    friend bool operator==(const http_address&, const http_address&) = default;
};

// Parses an address. Without a host, the address is the loopback address. Returns nothing if the text is invalid.
[[nodiscard]] std::optional<http_address> parse_http_address(std::string_view text);

// Returns a text such as "127.0.0.1:8080" or "[::1]:8080".
[[nodiscard]] std::string to_string(const http_address& address);

}  // namespace turnstile::cli
