// SPDX-License-Identifier: Apache-2.0
// back_off: pauses that double up to a bound. A random part shortens each pause, so that clients that failed at the
// same time do not retry at the same time ("equal jitter": M. Brooker, "Exponential Backoff and Jitter", 2015). A pure
// value.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/check.hpp"
#include "base/random.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::base {

class back_off {
public:
    using duration = boottime_clock::duration;

    back_off() = default;
    back_off(duration first, duration longest) : first_{first}, longest_{longest} {}
    // The pauses before a back end connects again to a server that answers no request.
    [[nodiscard]] static back_off of_reconnects() {
        return {std::chrono::milliseconds{20}, std::chrono::seconds{1}};
    }

    // Returns the next pause: a random part, from a half to the whole, of a length that doubles with each call.
    [[nodiscard]] duration draw(random& chance) {
        const auto doubled = step_ > longest_ / 2 ? longest_ : step_ * 2;
        const auto step = step_ == duration{} ? first_ : doubled;
        step_ = step;
        TURNSTILE_CHECK(step_ > duration{});
        TURNSTILE_CHECK(step_ <= std::max(first_, longest_));
        const double part = 0.5 + 0.5 * chance.uniform01();
        return duration{static_cast<duration::rep>(static_cast<double>(step.count()) * part)};
    }
    void reset() noexcept { step_ = duration{}; }
    // True if draw() has been called since the construction or the latest reset().
    [[nodiscard]] bool under_way() const noexcept { return step_ != duration{}; }

    friend bool operator==(const back_off&, const back_off&) = default;

private:
    duration first_{};
    duration longest_{};
    duration step_{};
};

}  // namespace turnstile::base
