// SPDX-License-Identifier: Apache-2.0
// decode_utf8: decodes the first code point of a text (RFC 3629). Thread safety: pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace turnstile::support {

struct decoded {
    char32_t code_point = 0;
    std::size_t length = 0;  // 0: invalid UTF-8 (cut short, overlong, a surrogate, too large)
};

[[nodiscard]] constexpr decoded decode_utf8(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (text.empty()) return {};
    const unsigned char first = byte(0);
    if (first < 0x80) return {first, 1};
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
    char32_t c = first & (0xffU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) return {};
        c = (c << 6U) | (byte(i) & 0x3fU);
    }
    constexpr char32_t k_least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (c < k_least[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return {};
    return {c, length};
}

}  // namespace turnstile::support
