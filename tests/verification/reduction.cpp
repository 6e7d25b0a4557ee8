// SPDX-License-Identifier: Apache-2.0
#include "verification/reduction.hpp"

#include <charconv>
#include <stdexcept>

#include <fmt/core.h>

namespace turnstile::simulation {

namespace {

constexpr std::uint64_t k_longest_range = 10'000'000;

std::uint64_t parse_number(std::string_view word) {
    std::uint64_t value = 0;
    const auto* const end = word.data() + word.size();
    const auto [stopped, failure] = std::from_chars(word.data(), end, value);
    if (word.empty() || failure != std::errc{} || stopped != end)
        throw std::invalid_argument{
            fmt::format("'{}' is not a number; wanted: numbers and ranges, as in 3,7-9", word)};
    return value;
}

void add_range(std::string_view word, disturbances::numbers& to) {
    const auto dash = word.find('-');
    const auto first = parse_number(word.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(word.substr(dash + 1));
    if (last < first || last - first > k_longest_range)
        throw std::invalid_argument{fmt::format(
            "'{}' is not a range: it begins at most {} before its end", word, k_longest_range)};
    for (auto number = first; number <= last; ++number) to.insert(number);
}

}  // namespace

std::string reduction::arguments() const {
    std::string text;
    if (clients != k_all) text += fmt::format(" --clients {}", clients);
    if (rounds != k_all) text += fmt::format(" --rounds {}", rounds);
    if (only) text += fmt::format(" --only '{}'", to_text(*only));
    return text;
}

std::string to_text(const disturbances::numbers& some) {
    std::string text;
    for (auto at = some.begin(); at != some.end();) {
        const auto first = *at;
        auto last = first;
        while (++at != some.end() && *at == last + 1) last = *at;
        if (!text.empty()) text += ',';
        text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    }
    return text;
}

disturbances::numbers parse_numbers(std::string_view text) {
    disturbances::numbers some;
    while (!text.empty()) {
        const auto comma = text.find(',');
        add_range(text.substr(0, comma), some);
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
        if (text.empty()) parse_number(text);  // throws if a comma ends the text
    }
    return some;
}

}  // namespace turnstile::simulation
