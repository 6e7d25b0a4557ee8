// SPDX-License-Identifier: Apache-2.0
#include "base/back_off.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace turnstile::base {
namespace {

using namespace std::chrono_literals;

TEST(back_off, doubles_up_to_its_bound_and_is_shortened_by_at_most_a_half) {
    random chance{1};
    back_off pauses{50ms, 300ms};
    for (const back_off::duration step : {50ms, 100ms, 200ms, 300ms, 300ms, 300ms}) {
        const auto pause = pauses.draw(chance);
        EXPECT_GE(pause, step / 2);
        EXPECT_LE(pause, step);
    }
}

TEST(back_off, starts_again_after_a_reset) {
    random chance{1};
    back_off pauses{50ms, 5s};
    for (int i = 0; i != 10; ++i) static_cast<void>(pauses.draw(chance));
    pauses.reset();
    EXPECT_LE(pauses.draw(chance), 50ms);
}

TEST(back_off, spreads_clients_that_failed_together) {
    random chance{1};
    back_off::duration shortest = 1s;
    back_off::duration longest{};
    for (int i = 0; i != 1000; ++i) {
        const auto pause = back_off{1s, 1s}.draw(chance);
        shortest = std::min(shortest, pause);
        longest = std::max(longest, pause);
    }
    EXPECT_LT(shortest, 520ms);
    EXPECT_GT(longest, 980ms);
}

TEST(back_off, is_a_value_that_a_seed_replays) {
    const auto pauses = [] {
        random chance{7};
        back_off delays{50ms, 5s};
        return std::array{delays.draw(chance), delays.draw(chance), delays.draw(chance)};
    };
    EXPECT_EQ(pauses(), pauses());
}

TEST(back_off, never_leaves_its_bound_however_long_it_goes_on) {
    random chance{1};
    back_off pauses{1ns, std::chrono::hours{24 * 365 * 100}};
    for (int i = 0; i != 200; ++i) {
        const auto pause = pauses.draw(chance);
        EXPECT_GE(pause, 0ns);
        EXPECT_LE(pause, std::chrono::hours{24 * 365 * 100});
    }
}

}  // namespace
}  // namespace turnstile::base
