// SPDX-License-Identifier: Apache-2.0
#include "base/percent.hpp"

#include <charconv>

#include <fmt/core.h>

namespace turnstile::base {

void append_percent_escaped(std::string& to, std::string_view text) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= ' ' || byte == '%' || byte == 0x7f) {
            to += fmt::format("%{:02x}", byte);
        } else {
            to += c;
        }
    }
}

std::string percent_unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr ==
                text.data() + i + 3) {
            plain += static_cast<char>(byte);
            i += 2;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

}  // namespace turnstile::base
