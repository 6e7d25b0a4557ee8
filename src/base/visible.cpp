// SPDX-License-Identifier: Apache-2.0
#include "base/visible.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/utf8.hpp"

namespace turnstile::base {
namespace {

bool is_control(char32_t point) {
    const bool turns_direction = point == 0x200e || point == 0x200f || point == 0x061c ||
                                 (point >= 0x202a && point <= 0x202e) ||
                                 (point >= 0x2066 && point <= 0x2069);
    const bool breaks_line = point == 0x2028 || point == 0x2029;
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || turns_direction || breaks_line ||
           point == 0xfeff;
}

void append_bytes(std::string& to, std::string_view bytes) {
    for (const char byte : bytes) {
        std::array<char, 8> escape{};
        std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned char>(byte));
        to += escape.data();
    }
}

}  // namespace

std::string visible(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const auto [point, length] = decode_utf8(text);
        const auto bytes = text.substr(0, std::max<std::size_t>(length, 1));
        if (length == 0 || is_control(point)) {
            append_bytes(result, bytes);
        } else {
            result += bytes;
        }
        text.remove_prefix(bytes.size());
    }
    return result;
}

}  // namespace turnstile::base
