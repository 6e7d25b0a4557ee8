// SPDX-License-Identifier: Apache-2.0
// term_pause: the time for which a participant stays out of the queue after its own term.
//
// During its term a participant runs the user's function. If the function returned, the participant pauses for
// leader_options::pause. If the function threw, the pause is a random time between once and twice
// leader_options::pause. With each further throw both bounds double, up to a minute (or twice leader_options::pause, if
// that is longer). If leader_options::pause is below half a second, the bounds are at first half a second and a second.
// So a participant whose function always throws does not write to the servers and the log without end.
//
// Thread safety: none, a value.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/back_off.hpp"
#include "base/random.hpp"

namespace turnstile::detail {

class term_pause {
public:
    using duration = boottime_clock::duration;
    static constexpr duration k_first_after_throw = std::chrono::seconds{1};
    static constexpr duration k_longest_after_throw = std::chrono::minutes{1};

    explicit term_pause(duration pause)
        : pause_{pause},
          after_throw_{std::max(2 * pause, k_first_after_throw),
                       std::max(2 * pause, k_longest_after_throw)} {}

    // Returns the next pause. `threw`: the user's function has thrown; each consecutive throw makes the pause longer.
    [[nodiscard]] duration draw(bool threw, base::random& chance) {
        if (threw) return after_throw_.draw(chance);
        after_throw_.reset();
        return pause_;
    }

private:
    duration pause_;
    base::back_off after_throw_;
};

}  // namespace turnstile::detail
