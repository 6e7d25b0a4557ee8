// SPDX-License-Identifier: Apache-2.0
// term_pause: the time for which a participant stays out of the queue after its own term.
//
// After a function that returned, this is the pause of the options. After a function that threw, the pause is drawn
// between once and twice that pause. With each further throw both bounds double, up to a minute (or twice the pause of
// the options, if that is longer). If the pause of the options is below half a second, the bounds are at first half a
// second and a second. So a function that always throws does not write to the servers and the log without end.
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

    // Returns the next pause, and counts consecutive throws.
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
