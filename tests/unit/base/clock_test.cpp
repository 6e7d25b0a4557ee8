// SPDX-License-Identifier: Apache-2.0
#include "turnstile/clock.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <boost/chrono/duration.hpp>

namespace turnstile {
namespace {

using namespace std::chrono_literals;

// Returns the time of CLOCK_BOOTTIME.
boottime_clock::time_point kernel_time() {
    timespec t{};
    EXPECT_EQ(::clock_gettime(CLOCK_BOOTTIME, &t), 0);
    return boottime_clock::time_point{std::chrono::seconds{t.tv_sec} +
                                      std::chrono::nanoseconds{t.tv_nsec}};
}

TEST(clock, is_the_kernels_boottime_clock) {
    const auto before = kernel_time();
    const auto now = boottime_clock::now();
    EXPECT_LE(before, now);
    EXPECT_LE(now, kernel_time());
}

TEST(clock, takes_durations_of_std_and_boost) {
    EXPECT_EQ(to_nanoseconds(1500us), 1'500'000ns);
    EXPECT_EQ(to_nanoseconds(boost::chrono::milliseconds{2}), 2ms);
    EXPECT_EQ(to_nanoseconds(std::chrono::duration<double>{0.25}), 250ms);
}

TEST(clock, keeps_durations_within_what_can_be_added_to_now) {
    EXPECT_EQ(to_nanoseconds(-1s), 0ns);
    EXPECT_EQ(to_nanoseconds(std::chrono::hours::max()), 1'000'000'000s);
    EXPECT_GT(boottime_clock::now() + to_nanoseconds(std::chrono::hours::max()),
              boottime_clock::now());
}

}  // namespace
}  // namespace turnstile
