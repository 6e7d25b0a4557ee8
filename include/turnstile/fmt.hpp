// SPDX-License-Identifier: Apache-2.0
// fmt::formatter: prints tokens, errors, states and roles with fmt and spdlog, with the text of text_of()
// (turnstile/text.hpp).
//
//     spdlog::warn("no lock: {}", hold.error());
//
// Fill, width and precision are the same as for a string. This header needs fmt; no other header does.
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
