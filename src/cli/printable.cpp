// SPDX-License-Identifier: Apache-2.0
#include "cli/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "support/utf8.hpp"

namespace turnstile::cli {
namespace {

void append_unit(std::string& to, unsigned unit) {
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), "\\u%04x", unit & 0xffffU);
    to += escape.data();
}

void append_json(std::string& to, char32_t point) {
    if (point == '"' || point == '\\') {
        to += {'\\', static_cast<char>(point)};
    } else if (point >= 0x20 && point < 0x7f) {
        to += static_cast<char>(point);
    } else if (point < 0x10000) {
        append_unit(to, point);
    } else {
        append_unit(to, 0xd800U + ((point - 0x10000U) >> 10U));
        append_unit(to, 0xdc00U + ((point - 0x10000U) & 0x3ffU));
    }
}

}  // namespace

std::string json_string(std::string_view text) {
    std::string result = "\"";
    while (!text.empty()) {
        const auto [point, length] = support::decode_utf8(text);
        append_json(result, length == 0 ? char32_t{0xfffd} : point);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result + "\"";
}

}  // namespace turnstile::cli
