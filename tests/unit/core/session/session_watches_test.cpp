// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_watches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnstile::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr contender_id k_ann{1};
constexpr contender_id k_bob{2};

TEST(session_watches, a_deletion_uses_the_watch_up_and_a_change_does_not_end_the_interest) {
    session_watches watches;
    watches.add("/q/a", k_ann);
    watches.add("/q/a", k_bob);
    EXPECT_THAT(watches.fired({watch_kind::changed, "/q/a", 1}), ElementsAre(k_ann, k_bob));
    EXPECT_THAT(watches.fired({watch_kind::deleted, "/q/a", 1}), ElementsAre(k_ann, k_bob));
    EXPECT_THAT(watches.fired({watch_kind::deleted, "/q/a", 1}), IsEmpty());
    EXPECT_EQ(watches.interests().size(), 0U);
}

TEST(session_watches, what_is_given_back_later_is_handed_out_once) {
    session_watches watches;
    watches.add("/q/a", k_ann);
    EXPECT_TRUE(watches.remove("/q/a", k_ann));
    watches.give_back_later("/q/a");
    EXPECT_THAT(watches.take_given_back(), ElementsAre("/q/a"));
    EXPECT_THAT(watches.take_given_back(), IsEmpty());
}

TEST(session_watches, a_path_that_is_watched_again_is_not_given_back) {
    session_watches watches;
    watches.give_back_later("/q/a");
    watches.add("/q/a", k_bob);
    EXPECT_THAT(watches.take_given_back(), IsEmpty());
}

}  // namespace
}  // namespace turnstile::core
