// SPDX-License-Identifier: Apache-2.0
// term_pause: how long a participant stays out of the queue after its own term.
//
// After a function that returned: the pause of the options. After functions that threw: at first between once and
// twice the pause, by chance. Both double each time, up to a minute (or twice the pause, if that is longer). A pause
// below half a second grows from a second on, so that a function that always throws does not write to the servers and
// the log without end.
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

    // The next pause.
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
