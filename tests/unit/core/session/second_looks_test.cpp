// SPDX-License-Identifier: Apache-2.0
// Tests when a waiter's second look is due: its later read of the znodes that it watches, in case an event is lost.
// session_looks_test.cpp tests which znodes the reads name.
#include "core/session/session_contenders.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "unit/support/times.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using test::at;

TEST(second_looks, the_interval_counts_from_the_latest_beginning) {
    second_looks looks;
    looks.begin(at(1s));
    EXPECT_EQ(looks.due(6s), at(7s));
    looks.begin(at(7s));
    EXPECT_EQ(looks.due(6s), at(13s));
}

TEST(second_looks, none_are_chosen_where_none_wait_for_events) {
    second_looks looks;
    contender_table contenders{64};
    contenders.add(contender_id{1}, {contender_core{contender_settings{}}});
    EXPECT_TRUE(looks.take_in_line(contenders).empty());
    EXPECT_TRUE(looks.take_further_back(contenders).empty());
}

}  // namespace
}  // namespace turnstile::core
