// SPDX-License-Identifier: Apache-2.0
// visible: escapes text of other clients, so that a log line, an error message or a terminal can show the text safely.
// Names, labels and reasons may be hostile: an escape sequence could rewrite the screen, a line break could forge a log
// line.
//
// log::write_line, error::message() and deadlock::to_string() escape all text that they write or return, so their
// callers need not escape it.
//
// Thread safety: a pure function.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "support/utf8.hpp"

namespace turnstile::support {

// True for a character that a terminal interprets instead of displaying it.
[[nodiscard]] constexpr bool is_control(char32_t point) noexcept {
    const bool turns_direction = point == 0x200e || point == 0x200f || point == 0x061c ||
                                 (point >= 0x202a && point <= 0x202e) ||
                                 (point >= 0x2066 && point <= 0x2069);
    const bool breaks_line = point == 0x2028 || point == 0x2029;
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || turns_direction || breaks_line ||
           point == 0xfeff;
}

// Returns the text with \xNN for control characters, for marks that change the direction of writing, and for bytes that
// are no UTF-8.
[[nodiscard]] inline std::string visible(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const auto [point, length] = decode_utf8(text);
        const auto bytes = text.substr(0, std::max<std::size_t>(length, 1));
        if (length == 0 || is_control(point)) {
            for (const char byte : bytes) {
                std::array<char, 8> escape{};
                std::snprintf(escape.data(), escape.size(), "\\x%02x",
                              static_cast<unsigned char>(byte));
                result += escape.data();
            }
        } else {
            result += bytes;
        }
        text.remove_prefix(bytes.size());
    }
    return result;
}

}  // namespace turnstile::support
