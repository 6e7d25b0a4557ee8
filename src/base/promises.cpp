// SPDX-License-Identifier: Apache-2.0
#include "turnstile/promises.hpp"

namespace turnstile {

namespace {

constexpr std::array<std::string_view, k_promise_count> k_names{
    "exclusion", "order", "waiting", "failover", "loss", "token", "writes", "crash", "scope"};

// Returns the position of each promise's value in its enum. A value at a greater position promises more.
std::array<int, k_promise_count> strengths_of(const promises& p) noexcept {
    return {static_cast<int>(p.exclusion), static_cast<int>(p.order), static_cast<int>(p.waiting),
            static_cast<int>(p.failover),  static_cast<int>(p.loss),  static_cast<int>(p.token),
            static_cast<int>(p.writes),    static_cast<int>(p.crash), static_cast<int>(p.scope)};
}

std::string_view value_text(std::size_t promise, int strength) noexcept {
    constexpr std::array<std::array<std::string_view, 4>, k_promise_count> k_values{{
        {"best_effort", "leased", "proved", ""},
        {"none", "arrival", "", ""},
        {"polled", "notified", "", ""},
        {"none", "loses_writes", "survives", ""},
        {"none", "told", "", ""},
        {"none", "grows", "grows_across_lost_data", ""},
        {"none", "guarded", "", ""},
        {"never", "session_timeout", "at_once", ""},
        {"process", "host", "server", "cluster"},
    }};
    return k_values.at(promise).at(static_cast<std::size_t>(strength));
}

}  // namespace

std::array<promise_text, k_promise_count> texts_of(const promises& given) noexcept {
    const auto strengths = strengths_of(given);
    std::array<promise_text, k_promise_count> texts;
    for (std::size_t i = 0; i != k_promise_count; ++i)
        texts.at(i) = {k_names.at(i), value_text(i, strengths.at(i))};
    return texts;
}

std::string missing(const promises& given, const promises& required) {
    const auto have = strengths_of(given);
    const auto want = strengths_of(required);
    std::string text;
    for (std::size_t i = 0; i != k_promise_count; ++i) {
        if (have.at(i) >= want.at(i)) continue;
        if (!text.empty()) text += "; ";
        text += std::string{k_names.at(i)} + ": " + std::string{value_text(i, want.at(i))} +
                " is required, " + std::string{value_text(i, have.at(i))} + " is promised";
    }
    return text;
}

}  // namespace turnstile
