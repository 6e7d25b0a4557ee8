// SPDX-License-Identifier: Apache-2.0
// key_values: lines of `key=value` pairs, with one blank between two pairs. Holders and recipes write such text into
// znodes.
//
// Pure functions. Thread safety: none needed.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/percent.hpp"

namespace turnstile::base {

// Calls `each(key, value)` for each pair in order, with the value's percent escapes decoded. Skips words without '='.
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
