// SPDX-License-Identifier: Apache-2.0
// Tests how clock_watch compares the boot clock with the wall clock. The clocks drift, are slewed or stepped, or one of
// the two clocks stops during a pause of the machine.
#include "core/lease/clock_watch.hpp"

#include <gtest/gtest.h>

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;

class clock_watch_test : public ::testing::Test {
protected:
    // Advances the boot clock and the wall clock by these times. Returns the result of the comparison.
    duration pass(duration boot, duration wall) {
        now_ += boot;
        wall_ += wall;
        return watch_.compare(now_, wall_);
    }

private:
    clock_watch watch_{30s};
    time_point now_{1000s};
    duration wall_{1'700'000'000s};
};

TEST_F(clock_watch_test, clocks_that_go_together_say_nothing) {
    for (int i = 0; i != 1000; ++i) EXPECT_EQ(pass(1s, 1s), 0s);
}

TEST_F(clock_watch_test, slewing_says_nothing) {
    for (int i = 0; i != 100'000; ++i) EXPECT_EQ(pass(1s, 1s + 500us), 0s);
}

TEST_F(clock_watch_test, a_pause_is_told_once_and_with_its_length) {
    EXPECT_EQ(pass(0s, 0s), 0s);
    EXPECT_EQ(pass(1s, 6s), 5s);
    EXPECT_EQ(pass(1s, 1s), 0s);
    EXPECT_EQ(pass(0s, 1s), 1s);
}

TEST_F(clock_watch_test, short_pauses_within_the_window_add_up) {
    EXPECT_EQ(pass(0s, 0s), 0s);
    EXPECT_EQ(pass(1s, 1s + 150ms), 0s);
    EXPECT_GT(pass(1s, 1s + 150ms), 200ms);
}

TEST_F(clock_watch_test, a_step_back_says_nothing_and_hides_no_later_pause) {
    EXPECT_EQ(pass(0s, 0s), 0s);
    EXPECT_EQ(pass(1s, -3600s), 0s);
    EXPECT_EQ(pass(1s, 3s), 2s);
}

}  // namespace
}  // namespace turnstile::core
