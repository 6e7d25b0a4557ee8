// SPDX-License-Identifier: Apache-2.0
// plain_words: checks and parses words and numbers in connect strings.
//
// Thread safety: pure functions.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace turnstile::redis {

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
