// SPDX-License-Identifier: Apache-2.0
// check_span: checks a span of time from a user: it must not be negative, and not be longer than ten years. So the sum
// of a few spans and an instant fits into 64 bits of nanoseconds. checked_milliseconds: checks a span and converts it.
//
// Thread safety: a pure function.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "turnstile/clock.hpp"
#include "turnstile/result.hpp"

namespace turnstile::base {

inline constexpr auto k_longest_span =
    std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::years{10});

// Returns the error `bad_option`, which names the option, the value and the rule, if the value breaks a rule.
[[nodiscard]] result<void> check_span(std::string_view option, boottime_clock::duration value);

[[nodiscard]] result<std::int64_t> checked_milliseconds(std::string_view option,
                                                        boottime_clock::duration value);

}  // namespace turnstile::base
