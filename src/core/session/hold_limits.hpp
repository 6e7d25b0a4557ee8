// SPDX-License-Identifier: Apache-2.0
// hold_limits: when a hold ends, or is warned, by the clock and not by its lease. Few have such limits.
//
// Thread safety: none, a value.
#pragma once

#include <optional>

#include "base/cold.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

struct hold_limits {
    duration warn_before{};                 // zero: never
    duration max_hold{};                    // zero: none
    std::optional<time_point> hold_end{};   // of a hold that is limited
    std::optional<time_point> delay_end{};  // as it stands among those of the session
    bool warned = false;
    friend bool operator==(const hold_limits&, const hold_limits&) = default;
};

[[nodiscard]] inline base::cold<hold_limits> limits_of(duration warn_before, duration max_hold) {
    base::cold<hold_limits> made;
    if (warn_before > duration{}) made.change().warn_before = warn_before;
    if (max_hold > duration{}) made.change().max_hold = max_hold;
    return made;
}

}  // namespace turnstile::core
