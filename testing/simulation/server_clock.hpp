// SPDX-License-Identifier: Apache-2.0
// server_clock: the time of day of a single server, in microseconds. The clock runs a little too fast or too slow, and
// its rate changes now and then. The clock may also be set. A value.
#pragma once

#include <chrono>
#include <cstdint>

#include "simulation/drifting_clock.hpp"

namespace turnstile::simulation {

class server_clock {
public:
    [[nodiscard]] std::chrono::microseconds at(instant when) const {
        const auto since = std::chrono::duration_cast<std::chrono::microseconds>(when - set_at_);
        return shown_ + since + since * rate_ / k_million;
    }
    // From `when` on the clock runs at this rate, in parts per million above the true rate.
    void slew(instant when, std::int64_t rate) {
        set(when, at(when));
        rate_ = rate;
    }
    void set(instant when, std::chrono::microseconds shown) {
        shown_ = shown;
        set_at_ = when;
    }

private:
    static constexpr std::int64_t k_million = 1'000'000;

    // The clock starts this late, so that a step back early in a history never gives a negative time.
    std::chrono::microseconds shown_ = std::chrono::hours{1000};
    instant set_at_{};
    std::int64_t rate_ = 0;
};

}  // namespace turnstile::simulation
