// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_contenders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "unit/support/times.hpp"

namespace turnstile::core {
namespace hold_clock_tests {

using namespace std::chrono_literals;
using test::at;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr contender_id k_ann{1};
constexpr bool k_holds = true;
constexpr bool k_waits = false;

TEST(hold_clock, a_limit_counts_from_the_grant) {
    hold_clock clock;
    clock.add(k_ann, {}, 10s);
    EXPECT_EQ(clock.next_end(), std::nullopt);
    EXPECT_EQ(clock.granted(k_ann, at(5s)), at(15s));
    clock.update(k_ann, k_holds, {});
    EXPECT_EQ(clock.next_end(), at(15s));
    EXPECT_EQ(clock.take_ended(at(15s) - 1ns), std::nullopt);
    EXPECT_EQ(clock.take_ended(at(15s)), k_ann);
}

TEST(hold_clock, a_hold_without_limit_has_no_end) {
    hold_clock clock;
    clock.add(k_ann, 1s, {});
    EXPECT_EQ(clock.granted(k_ann, at(5s)), std::nullopt);
}

TEST(hold_clock, a_hold_that_ends_earlier_has_no_end_any_more) {
    hold_clock clock;
    clock.add(k_ann, {}, 10s);
    EXPECT_TRUE(clock.granted(k_ann, at(5s)));
    clock.update(k_ann, k_waits, {});
    EXPECT_EQ(clock.next_end(), std::nullopt);
    clock.forget(k_ann);
    EXPECT_EQ(clock, hold_clock{});
}

TEST(hold_clock, warns_once_while_the_end_is_near) {
    hold_clock clock;
    clock.add(k_ann, 2s, {});
    EXPECT_EQ(clock.next_warning(at(10s)), std::nullopt) << "a waiter has nothing to lose";
    clock.update(k_ann, k_holds, {});
    EXPECT_EQ(clock.next_warning(at(10s)), at(8s));
    EXPECT_THAT(clock.take_warnings(at(7s), at(10s)), IsEmpty());
    EXPECT_THAT(clock.take_warnings(at(8s), at(10s)), ElementsAre(k_ann));
    EXPECT_THAT(clock.take_warnings(at(9s), at(10s)), IsEmpty());
    EXPECT_EQ(clock.next_warning(at(10s)), std::nullopt);
}

TEST(hold_clock, warns_again_after_the_lease_was_confirmed) {
    hold_clock clock;
    clock.add(k_ann, 2s, {});
    clock.update(k_ann, k_holds, {});
    EXPECT_THAT(clock.take_warnings(at(8s), at(10s)), ElementsAre(k_ann));
    EXPECT_THAT(clock.take_warnings(at(8s), at(20s)), IsEmpty());
    EXPECT_THAT(clock.take_warnings(at(18s), at(20s)), ElementsAre(k_ann));
}

TEST(hold_clock, warns_ahead_of_the_limit_where_that_comes_before_the_end_of_the_lease) {
    hold_clock clock;
    clock.add(k_ann, 2s, 5s);
    EXPECT_TRUE(clock.granted(k_ann, at(0s)));
    clock.update(k_ann, k_holds, {});
    EXPECT_EQ(clock.next_warning(at(10s)), at(3s));
}

TEST(hold_clock, a_delay_is_over_until_it_is_said_to_be_another) {
    hold_clock clock;
    clock.update(k_ann, k_waits, at(5s));
    EXPECT_EQ(clock.next_delay_end(), at(5s));
    EXPECT_EQ(clock.delay_over(at(5s)), k_ann);
    EXPECT_EQ(clock.delay_over(at(5s)), k_ann);
    clock.update(k_ann, k_waits, {});
    EXPECT_EQ(clock, hold_clock{});
}

}  // namespace hold_clock_tests
}  // namespace turnstile::core
