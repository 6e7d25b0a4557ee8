// SPDX-License-Identifier: Apache-2.0
// Percent-encoding: bytes that a text cannot contain, written as "%hh". for_each_pair: reads lines of
// `key=value` pairs.
//
// Thread safety: pure functions.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "support/hexadecimal.hpp"

namespace turnstile::base {

void append_percent_encoded(std::string& to, unsigned char byte);

// Appends the text as one word: encodes blanks, control characters and '%'.
void append_percent_escaped(std::string& to, std::string_view text);
// Decodes the text. Leaves a '%' without two digits behind it unchanged.
[[nodiscard]] std::string percent_unescaped(std::string_view text);

// Decodes the text. Returns nothing if a '%' is not followed by two digits.
[[nodiscard]] std::optional<std::string> percent_decoded(
    std::string_view text, support::digit_case digits = support::digit_case::any);

// Calls `each(key, value)` for each pair in order, with the value's percent escapes decoded. Skips words without '='.
// One blank separates two pairs. Holders and recipes write such text into znodes.
template <class F>
void for_each_pair(std::string_view text, F&& each) {
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        const auto pair = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto equals = pair.find('=');
        if (equals == std::string_view::npos) continue;
        each(pair.substr(0, equals), percent_unescaped(pair.substr(equals + 1)));
    }
}

}  // namespace turnstile::base
