// SPDX-License-Identifier: Apache-2.0
#include "cli/duration.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

namespace turnstile::cli {

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
    constexpr double k_ten_years = 10 * 365 * 86'400e3;
    constexpr std::array<std::pair<std::string_view, double>, 6> k_units{
        {{"", 1e3}, {"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"h", 3'600e3}, {"d", 86'400e3}}};
    if (text.empty() || text.front() == '-') return std::nullopt;
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, failure] =
        std::from_chars(text.data(), end, number, std::chars_format::fixed);
    if (failure != std::errc{} || !std::isfinite(number)) return std::nullopt;
    const std::string_view unit{rest, static_cast<std::size_t>(end - rest)};
    for (const auto& [name, milliseconds] : k_units) {
        if (unit != name) continue;
        const double value = std::round(number * milliseconds);
        if (value > k_ten_years) return std::nullopt;
        return std::chrono::milliseconds{static_cast<std::int64_t>(value)};
    }
    return std::nullopt;
}

std::string duration_text(std::chrono::seconds span) {
    constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> k_units{
        {{86'400, " d"}, {3'600, " h"}, {60, " min"}, {1, " s"}}};
    auto left = static_cast<std::int64_t>(span.count());
    for (std::size_t i = 0; i + 1 < k_units.size(); ++i) {
        const auto& [length, name] = k_units[i];
        if (left < length) continue;
        std::string text = std::to_string(left / length);
        text += name;
        const auto& [next_length, next_name] = k_units[i + 1];
        const auto rest = left % length / next_length;
        if (rest > 0) text.append(" ").append(std::to_string(rest)).append(next_name);
        return text;
    }
    return std::to_string(left) + " s";
}

std::string exact_text(std::chrono::milliseconds span) {
    const auto count = span.count();
    if (count == 0) return "0 s";
    if (count < 1'000) return std::to_string(count) + " ms";
    if (count >= 60'000 || count % 1'000 == 0)
        return duration_text(std::chrono::duration_cast<std::chrono::seconds>(span));
    auto digits = std::to_string(count % 1'000 + 1'000).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    return std::to_string(count / 1'000) + "." + digits + " s";
}

}  // namespace turnstile::cli
