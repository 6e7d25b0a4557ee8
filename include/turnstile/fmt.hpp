// SPDX-License-Identifier: Apache-2.0
// fmt::formatter: tokens, errors, states and roles in fmt's and spdlog's texts, by text_of (turnstile/text.hpp), with
// the fill, width and precision of a string.
//
//     spdlog::warn("no lock: {}", hold.error());
//
// This header needs fmt, which the others do not.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "turnstile/text.hpp"

template <turnstile::has_text V>
struct fmt::formatter<V, char> : fmt::formatter<std::string_view, char> {
    template <class Context>
    auto format(const V& value, Context& context) const {
        return fmt::formatter<std::string_view, char>::format(turnstile::text_of(value), context);
    }
};
