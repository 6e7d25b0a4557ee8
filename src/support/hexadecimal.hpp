// SPDX-License-Identifier: Apache-2.0
// Hexadecimal text: two digits for each byte, and numbers with "0x", the form of session ids in servers and tools.
//
//     hexadecimal_digits(std::array<unsigned char, 2>{0x0a, 0xff})  // "0aff"
//     hexadecimal_number(255)                                       // "0xff"
//     byte_of_hexadecimal("0a")                                     // 10
//
// Thread safety: pure functions.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace turnstile::support {

inline void write_hexadecimal(char* to, unsigned char byte) noexcept {
    constexpr std::string_view k_digits = "0123456789abcdef";
    to[0] = k_digits[byte >> 4U];
    to[1] = k_digits[byte & 15U];
}

inline void append_hexadecimal(std::string& to, unsigned char byte) {
    to += "00";
    write_hexadecimal(&to[to.size() - 2], byte);
}

[[nodiscard]] inline std::string hexadecimal_digits(std::span<const unsigned char> bytes) {
    std::string text;
    text.reserve(2 * bytes.size());
    for (const unsigned char byte : bytes) append_hexadecimal(text, byte);
    return text;
}

// A negative id is written as the number with the same 64 bits and no sign.
[[nodiscard]] inline std::string hexadecimal_number(std::int64_t id) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                   static_cast<std::uint64_t>(id), 16)
                         .ptr;
    return "0x" + std::string{digits.data(), end};
}

enum class digit_case { any, lower };

// The byte that the first two characters encode; nullopt if they are not two digits.
[[nodiscard]] inline std::optional<unsigned char> byte_of_hexadecimal(
    std::string_view text, digit_case digits = digit_case::any) {
    const auto two = text.substr(0, 2);
    if (digits == digit_case::lower && two.find_first_of("ABCDEF") != std::string_view::npos)
        return std::nullopt;
    unsigned char byte = 0;
    const auto [end, failure] = std::from_chars(two.data(), two.data() + two.size(), byte, 16);
    if (failure != std::errc{} || end != text.data() + 2) return std::nullopt;
    return byte;
}

}  // namespace turnstile::support
