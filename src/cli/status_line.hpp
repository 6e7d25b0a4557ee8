// SPDX-License-Identifier: Apache-2.0
// status_line: makes the JSON lines that a command can read from TURNSTILE_STATUS_FD.
#pragma once

#include <string>

#include "turnstile/acquire_options.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"

namespace turnstile::cli {

// Returns a line such as {"event":"confirmed","valid_until":123}, with its newline. Times are in nanoseconds of
// CLOCK_BOOTTIME.
[[nodiscard]] std::string confirmed_line(boottime_clock::time_point valid_until);
[[nodiscard]] std::string at_risk_line(boottime_clock::time_point valid_until);
[[nodiscard]] std::string asked_line(const release_request& request);
[[nodiscard]] std::string lost_line(const error& why);

}  // namespace turnstile::cli
