// SPDX-License-Identifier: Apache-2.0
// Tests the time limit of a thread that holds a lock of its process, and when that thread gets warnings.
#include <gtest/gtest.h>

#include <chrono>

#include "core/composite/local_queue.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;

constexpr time_point k_now{1h};
constexpr time_point k_lease_end = k_now + 10s;

local_holder holder(std::optional<time_point> end, duration warn_before) {
    return {local_id{7}, end, warn_before};
}

TEST(local_holder, is_never_warned_if_it_asked_for_no_warning) {
    auto silent = holder(k_now + 1s, {});
    EXPECT_EQ(silent.next_warning(k_lease_end), std::nullopt);
    EXPECT_FALSE(silent.warn(k_lease_end, k_lease_end));
}

TEST(local_holder, is_warned_ahead_of_the_earlier_of_its_limit_and_the_lease) {
    EXPECT_EQ(holder(std::nullopt, 2s).next_warning(k_lease_end), k_lease_end - 2s);
    EXPECT_EQ(holder(k_now + 5s, 2s).next_warning(k_lease_end), k_now + 3s);
    EXPECT_EQ(holder(k_now + 50s, 2s).next_warning(k_lease_end), k_lease_end - 2s);
}

TEST(local_holder, is_warned_once_for_one_end) {
    auto warned = holder(std::nullopt, 2s);
    EXPECT_FALSE(warned.warn(k_lease_end, k_lease_end - 3s));
    EXPECT_TRUE(warned.warn(k_lease_end, k_lease_end - 2s));
    EXPECT_FALSE(warned.warn(k_lease_end, k_lease_end - 1s));
    EXPECT_EQ(warned.next_warning(k_lease_end), k_lease_end);
}

TEST(local_holder, is_warned_again_when_a_lease_that_was_confirmed_runs_low) {
    auto warned = holder(std::nullopt, 2s);
    ASSERT_TRUE(warned.warn(k_lease_end, k_lease_end - 2s));
    const auto confirmed = k_lease_end + 10s;
    EXPECT_FALSE(warned.warn(confirmed, k_lease_end));
    EXPECT_EQ(warned.next_warning(confirmed), confirmed - 2s);
    EXPECT_TRUE(warned.warn(confirmed, confirmed - 2s));
}

TEST(local_holder, is_not_warned_of_a_lease_that_is_lost) {
    auto lost = holder(std::nullopt, 2s);
    EXPECT_EQ(lost.next_warning(time_point::min()), std::nullopt);
    EXPECT_FALSE(lost.warn(time_point::min(), k_now));
}

}  // namespace
}  // namespace turnstile::core
