// SPDX-License-Identifier: Apache-2.0
// check_span: the rule for a span of time from a user: not negative, and ten years at most, so that sums of a few
// spans and an instant fit into 64 bits of nanoseconds; checked_milliseconds: a span in the unit of records.
//
// Thread safety: a pure function.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "turnstile/clock.hpp"
#include "turnstile/result.hpp"

namespace turnstile::base {

// A longer duration is a mistake. The sum of a few of these fits into the clock, also when it is added to a time of day.
inline constexpr auto k_longest_span =
    std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::years{10});

// The error `bad_option` names the option, the value and the rule.
[[nodiscard]] result<void> check_span(std::string_view option, boottime_clock::duration value);

// The span, rounded up.
[[nodiscard]] result<std::int64_t> checked_milliseconds(std::string_view option,
                                                        boottime_clock::duration value);

}  // namespace turnstile::base
