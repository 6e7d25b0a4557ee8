#include "base/percent.hpp"

#include <charconv>

#include <fmt/core.h>

namespace turnstile::base {

std::string percent_escaped(std::string_view text) {
    std::string made;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= ' ' || byte == '%' || byte == 0x7f) {
            made += fmt::format("%{:02x}", byte);
        } else {
            made += c;
        }
    }
    return made;
}

std::string percent_unescaped(std::string_view text) {
    std::string made;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr ==
                text.data() + i + 3) {
            made += static_cast<char>(byte);
            i += 2;
        } else {
            made += text[i];
        }
    }
    return made;
}

}  // namespace turnstile::base
