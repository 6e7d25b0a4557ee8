// SPDX-License-Identifier: Apache-2.0
// duration_text: a span of time in errors and log lines, exact and in the units that a person writes.
//
//     duration_text(300ms)      // "300 ms"
//     duration_text(2500ms)     // "2.5 s"
//     duration_text(90min)      // "1 h 30 min"
//     duration_text(-1s)        // "-1 s"
//
// Thread safety: pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>
#include <string>
#include <string_view>

namespace turnstile::base {

// Returns whole + part / 10^digits as text, without zeros at the end.
[[nodiscard]] inline std::string decimal_text(std::uint64_t whole, std::uint64_t part, int digits) {
    std::string text = std::to_string(whole);
    if (part == 0) return text;
    const std::string zeros_and_part = std::to_string(part);
    text.append(".").append(static_cast<std::size_t>(digits) - zeros_and_part.size(), '0');
    text.append(zeros_and_part);
    text.erase(text.find_last_not_of('0') + 1);
    return text;
}

// Returns a part of a second as text, such as "20 ns". `nanoseconds` must be less than a second.
[[nodiscard]] inline std::string part_of_second(std::uint64_t nanoseconds) {
    if (nanoseconds < 1'000) return std::to_string(nanoseconds) + " ns";
    if (nanoseconds < 1'000'000)
        return decimal_text(nanoseconds / 1'000, nanoseconds % 1'000, 3) + " us";
    return decimal_text(nanoseconds / 1'000'000, nanoseconds % 1'000'000, 6) + " ms";
}

[[nodiscard]] inline std::string seconds_text(std::uint64_t seconds, std::uint64_t nanoseconds) {
    struct unit {
        std::uint64_t seconds;
        std::string_view name;
    };
    if (seconds == 0 && nanoseconds != 0) return part_of_second(nanoseconds);
    std::string text;
    for (const unit each : {unit{86'400, " d "}, unit{3'600, " h "}, unit{60, " min "}}) {
        if (seconds >= each.seconds)
            text.append(std::to_string(seconds / each.seconds)).append(each.name);
        seconds %= each.seconds;
    }
    if (text.empty() || seconds != 0 || nanoseconds != 0)
        return text + decimal_text(seconds, nanoseconds, 9) + " s";
    text.pop_back();
    return text;
}

template <class Rep, class Period>
requires std::ratio_less_equal_v<Period, std::ratio<3600>>
[[nodiscard]] std::string duration_text(std::chrono::duration<Rep, Period> span) {
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(span);
    const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(span - whole);
    const bool is_negative = span < span.zero();
    // The smallest value of a signed type has no positive counterpart in that type.
    const auto size_of = [is_negative](auto part) {
        const auto count = static_cast<std::uint64_t>(part.count());
        return is_negative ? 0 - count : count;
    };
    std::string text{is_negative ? "-" : ""};
    return text.append(seconds_text(size_of(whole), size_of(rest)));
}

}  // namespace turnstile::base
