// SPDX-License-Identifier: Apache-2.0
// server_clock: a single server's time of day, in microseconds. It is a little fast or slow, by a rate that changes,
// and it may be set. Copies are independent.
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
    // From `when` on, the clock is fast by this rate, in parts per million.
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

    // Starts so late that a step back never gives a negative time.
    std::chrono::microseconds shown_ = std::chrono::hours{1000};
    instant set_at_{};
    std::int64_t rate_ = 0;
};

}  // namespace turnstile::simulation
