// SPDX-License-Identifier: Apache-2.0
#include "core/queue/crash_mark.hpp"

#include <cassert>
#include <charconv>

#include "base/check.hpp"

namespace turnstile::core {

namespace {

constexpr std::string_view k_suffix = "-holder";
constexpr std::string_view k_noted = " left";
constexpr std::int64_t k_longest_delay_ms = std::int64_t{10} * 366 * 24 * 3600 * 1000;  // ten years

}  // namespace

std::string crash_mark_path(std::string_view folder) {
    return std::string{folder} + std::string{k_suffix};
}

std::string crash_mark_text(const crash_mark& mark) {
    assert(mark.holder.find(' ') == std::string::npos);
    TURNSTILE_CHECK(mark.delay_ms >= 0);
    TURNSTILE_CHECK(mark.delay_ms <= k_longest_delay_ms);
    auto text = mark.holder + ' ' + std::to_string(mark.delay_ms);
    if (mark.noted) text += k_noted;
    return text;
}

std::optional<crash_mark> parse_crash_mark(std::string_view text) {
    crash_mark found;
    found.noted = text.ends_with(k_noted);
    if (found.noted) text.remove_suffix(k_noted.size());
    const auto space = text.find(' ');
    if (space == std::string_view::npos || space == 0) return std::nullopt;
    found.holder = text.substr(0, space);
    const auto number = text.substr(space + 1);
    const auto* const end = number.data() + number.size();
    const auto [at, wrong] = std::from_chars(number.data(), end, found.delay_ms);
    if (wrong != std::errc{} || at != end) return std::nullopt;
    if (found.delay_ms < 0 || found.delay_ms > k_longest_delay_ms) return std::nullopt;
    return found;
}

}  // namespace turnstile::core
