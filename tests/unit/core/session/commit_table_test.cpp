// SPDX-License-Identifier: Apache-2.0
#include "core/session/data_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace turnstile::core {
namespace {

using ::testing::ElementsAre;

constexpr contender_id k_hold{1};
constexpr commit_id k_commit{2};

TEST(commit_table, keeps_the_writes_of_a_hold_until_they_are_idle) {
    commit_table table;
    table.add(k_commit, {k_hold, {}});
    EXPECT_THAT(table.holds(), ElementsAre(k_hold));
    EXPECT_NE(table.writes_of(k_hold), nullptr);
    EXPECT_TRUE(table.end_if_empty(k_hold));
    EXPECT_FALSE(table.has_writes(k_hold));
    EXPECT_FALSE(table.end_if_empty(k_hold)) << "there are none";
}

TEST(commit_table, a_caller_is_answered_once) {
    commit_table table;
    table.add(k_commit, {k_hold, {}});
    EXPECT_EQ(table.hold_of(k_commit), k_hold);
    EXPECT_EQ(table.take(k_commit), (pending_commit{k_hold, {}}));
    EXPECT_EQ(table.take(k_commit), std::nullopt);
}

TEST(commit_table, a_release_waits_until_it_is_taken) {
    commit_table table;
    table.release_later({k_hold, error{errc::cancelled}});
    EXPECT_TRUE(table.is_released(k_hold));
    EXPECT_TRUE(table.take_release(k_hold));
    EXPECT_FALSE(table.is_released(k_hold));
    EXPECT_FALSE(table.take_release(k_hold));
}

TEST(commit_table, a_loss_is_noted_for_the_commits_of_the_hold) {
    commit_table table;
    table.hold_was_lost(k_hold, {errc::session_lost, "expired"});
    EXPECT_FALSE(table.take_changed()) << "it has none";
    table.add(k_commit, {k_hold, {}});
    table.hold_has_settled(k_hold);
    table.hold_was_lost(k_hold, {errc::session_lost, "expired"});
    EXPECT_EQ(table.take_changed(), k_hold);
    EXPECT_FALSE(table.take_changed());
    const auto why = table.take_loss(k_hold);
    ASSERT_TRUE(why);
    EXPECT_EQ(*why, errc::session_lost);
    EXPECT_FALSE(table.take_loss(k_hold));
}

}  // namespace
}  // namespace turnstile::core
