// SPDX-License-Identifier: Apache-2.0
// server_address: the address of a server or a sentinel, and the words and numbers of connect strings and addresses.
//
// Thread safety: a value and pure functions.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

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

// ---- words and numbers ----
[[nodiscard]] inline bool is_word_character(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

// Returns true also for an empty text.
[[nodiscard]] inline bool is_word(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(), is_word_character);
}

// Returns nothing unless all characters are digits and the number fits into `Number`.
template <class Number>
[[nodiscard]] std::optional<Number> plain_number(std::string_view digits) noexcept {
    Number value{};
    const char* const end = digits.data() + digits.size();
    const auto [stop, failure] = std::from_chars(digits.data(), end, value);
    const bool plain = !digits.empty() && digits.front() >= '0' && digits.front() <= '9';
    if (!plain || failure != std::errc{} || stop != end) return std::nullopt;
    return value;
}

}  // namespace turnstile::redis
