// SPDX-License-Identifier: Apache-2.0
#include "base/percent.hpp"

namespace turnstile::base {

void append_percent_encoded(std::string& to, unsigned char byte) {
    to += '%';
    support::append_hexadecimal(to, byte);
}

void append_percent_escaped(std::string& to, std::string_view text) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= ' ' || byte == '%' || byte == 0x7f) {
            append_percent_encoded(to, byte);
        } else {
            to += c;
        }
    }
}

std::string percent_unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte =
            text[i] == '%' ? support::byte_of_hexadecimal(text.substr(i + 1)) : std::nullopt;
        plain += byte ? static_cast<char>(*byte) : text[i];
        if (byte) i += 2;
    }
    return plain;
}

std::optional<std::string> percent_decoded(std::string_view text, support::digit_case digits) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        const auto byte = support::byte_of_hexadecimal(text.substr(i + 1), digits);
        if (!byte) return std::nullopt;
        plain += static_cast<char>(*byte);
        i += 2;
    }
    return plain;
}

}  // namespace turnstile::base
