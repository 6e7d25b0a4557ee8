// SPDX-License-Identifier: Apache-2.0
// test_deadline: the longest time for which a test waits for an event that must happen.
//
// All waits of tests have the same generous default limit, which can be scaled for slow builds. So tests need neither
// sleeps nor assertions about durations.
//
//     EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
//     servers.wait_until_serving(test_deadline{60s});
//
// Thread safety: any thread may call these functions.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <thread>

#include "turnstile/language.hpp"

namespace turnstile::testing {

// Returns the factor by which all limits are multiplied: the value of the environment variable
// TURNSTILE_TEST_TIME_SCALE, a positive number. If the variable is not set or empty, the factor is 1, or 4 if the
// testing library was built with a sanitizer. The first call checks the machine's load: if more than three programs
// wait for each processor, this default is up to 8 times as large. Throws std::runtime_error if the variable is not a
// positive number.
[[nodiscard]] double time_scale();

// Returns `unscaled` times time_scale().
[[nodiscard]] std::chrono::milliseconds scaled(std::chrono::milliseconds unscaled);

// Returns the default limit of a wait: 60 s, scaled.
[[nodiscard]] std::chrono::milliseconds limit();

// The instant at which a wait ends, on the steady clock.
class test_deadline {
public:
    // The deadline is limit() after now.
    test_deadline() : at_{std::chrono::steady_clock::now() + limit()} {}
    // The deadline is the time `within`, scaled, after now. The constructor is implicit, so that a call can be
    // `wait(5s)`.
    template <typename R, typename P>
    test_deadline(std::chrono::duration<R, P> within)  // NOLINT(google-explicit-constructor)
        : at_{std::chrono::steady_clock::now() +
              scaled(std::chrono::ceil<std::chrono::milliseconds>(within))} {}

    // Returns the instant.
    [[nodiscard]] std::chrono::steady_clock::time_point at() const noexcept { return at_; }
    // Returns whether the instant has passed.
    [[nodiscard]] bool passed() const { return std::chrono::steady_clock::now() >= at_; }
    // Returns the time left; zero after the deadline.
    [[nodiscard]] std::chrono::milliseconds remaining() const {
        const auto left = at_ - std::chrono::steady_clock::now();
        return std::max(std::chrono::milliseconds{0},
                        std::chrono::ceil<std::chrono::milliseconds>(left));
    }

private:
    std::chrono::steady_clock::time_point at_;
};

// Calls `predicate` at least once, and again after pauses of 1 ms to 50 ms, until it returns true or the deadline has
// passed. Returns the last value of `predicate`. Use it for conditions that only another process knows; inside one
// process use `event`.
template <std::predicate P>
[[nodiscard]] bool eventually(P&& predicate, test_deadline until = {}) {
    constexpr std::chrono::milliseconds k_longest_pause{50};
    std::chrono::milliseconds pause{1};
    for (;;) {
        if (predicate()) return true;
        if (until.passed()) return false;
        std::this_thread::sleep_for(std::min(pause, until.remaining()));
        pause = std::min(2 * pause, k_longest_pause);
    }
}

}  // namespace turnstile::testing
