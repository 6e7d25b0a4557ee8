// SPDX-License-Identifier: Apache-2.0
#include "core/session/connection_failures.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "unit/support/times.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using test::at;

TEST(retry, goes_by_the_first_request_that_came_to_nothing) {
    retry again{50ms, 5s};
    again.later(at(6s));
    again.later(at(8s));
    EXPECT_EQ(again.due(), at(6s));
    EXPECT_FALSE(again.begin_if_due(at(6s) - 1ns));
    EXPECT_TRUE(again.begin_if_due(at(6s)));
    EXPECT_FALSE(again.begin_if_due(at(6s)));
}

TEST(retry, pauses_once_for_all_that_a_server_throws_away) {
    base::random chance{1};
    retry again{50ms, 5s};
    EXPECT_TRUE(again.note_throttled());
    again.pause(at(0s), chance);
    EXPECT_FALSE(again.note_throttled());
    EXPECT_TRUE(again.is_throttled());
    EXPECT_LE(*again.due(), at(50ms));
    EXPECT_TRUE(again.begin_if_due(at(50ms)));
    EXPECT_TRUE(again.note_throttled()) << "after the pause";
}

TEST(retry, a_pause_does_not_put_off_what_is_due_sooner) {
    base::random chance{1};
    retry again{1s, 5s};
    again.later(at(10ms));
    EXPECT_TRUE(again.note_throttled());
    again.pause(at(0s), chance);
    EXPECT_EQ(again.due(), at(10ms));
}

TEST(retry, an_answer_counts_only_after_the_pause) {
    base::random chance{1};
    retry again{50ms, 5s};
    EXPECT_TRUE(again.note_throttled());
    again.pause(at(0s), chance);
    again.answered();
    EXPECT_TRUE(again.is_throttled()) << "it was sent before the server threw one away, perhaps";
    EXPECT_TRUE(again.begin_if_due(at(1s)));
    again.answered();
    EXPECT_FALSE(again.is_throttled());
}

}  // namespace
}  // namespace turnstile::core
