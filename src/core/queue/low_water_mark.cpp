// SPDX-License-Identifier: Apache-2.0
#include "core/queue/low_water_mark.hpp"

#include <charconv>

#include "base/check.hpp"

namespace turnstile::core {

namespace {

std::string_view word(contender_family of) {
    return of == contender_family::latch ? "latch-floor " : "lock-floor ";
}

}  // namespace

std::string low_water_text(contender_family of, std::int32_t number) {
    return std::string{word(of)} + std::to_string(number);
}

std::optional<std::int32_t> parse_low_water_mark(contender_family of, std::string_view text) {
    if (!text.starts_with(word(of))) return std::nullopt;
    const auto digits = text.substr(word(of).size());
    std::int32_t number = 0;
    const auto failure = std::from_chars(digits.data(), digits.data() + digits.size(), number).ec;
    if (failure != std::errc{} || text != low_water_text(of, number)) return std::nullopt;
    return number;
}

bool leaves_nobody_ahead(std::int32_t mark, std::int32_t nearest, std::int32_t self) {
    TURNSTILE_CHECK(nearest != self);
    // place: low_water_mark_reaches
    return sequence_distance(mark, nearest) >= 0 && sequence_distance(mark, self) < 0;
}

}  // namespace turnstile::core
