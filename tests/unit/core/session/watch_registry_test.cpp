// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_traces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnstile::core {
namespace watch_registry_tests {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr contender_id k_ann{1};
constexpr contender_id k_bob{2};

TEST(watch_registry, tells_everybody_who_is_interested_in_a_path) {
    watch_registry registry;
    registry.add("/q/a", k_bob);
    registry.add("/q/a", k_ann);
    registry.add("/q/b", k_ann);
    EXPECT_THAT(registry.interested("/q/a"), ElementsAre(k_ann, k_bob));
    EXPECT_THAT(registry.interested("/q/b"), ElementsAre(k_ann));
    EXPECT_THAT(registry.interested("/q"), IsEmpty());
    EXPECT_FALSE(registry.interested("/q/a").empty());
    EXPECT_TRUE(registry.interested("/q").empty());
    EXPECT_EQ(registry.size(), 2U);
}

TEST(watch_registry, gives_a_watch_back_with_its_last_interest_and_only_once) {
    watch_registry registry;
    registry.add("/q/a", k_ann);
    registry.add("/q/a", k_ann);
    registry.add("/q/a", k_bob);
    EXPECT_FALSE(registry.remove("/q/a", k_ann));
    EXPECT_FALSE(registry.remove("/q/a", k_ann)) << "it is not interested any more";
    EXPECT_TRUE(registry.remove("/q/a", k_bob));
    EXPECT_FALSE(registry.remove("/q/a", k_bob));
    EXPECT_EQ(registry.size(), 0U);
}

// k_ann set the watch and leaves first. The watch remains, because k_bob still needs it. When k_bob leaves, the client
// must remove the watch, although k_bob did not set it.
TEST(watch_registry, leaves_a_watch_to_those_who_are_still_interested) {
    watch_registry registry;
    registry.add("/q/a", k_ann);
    registry.add("/q/a", k_bob);
    EXPECT_FALSE(registry.remove("/q/a", k_ann));
    EXPECT_TRUE(registry.remove_unset("/q/a", k_bob));
    EXPECT_EQ(registry, watch_registry{});
}

TEST(watch_registry, has_nothing_to_give_back_where_no_watch_was_set) {
    watch_registry registry;
    registry.add("/q/a", k_ann);
    registry.add("/q/a", k_bob);
    EXPECT_FALSE(registry.remove_unset("/q/a", k_ann));
    EXPECT_FALSE(registry.remove_unset("/q/a", k_bob));
    EXPECT_EQ(registry, watch_registry{});
}

TEST(watch_registry, leaves_nothing_of_a_watch_that_has_fired) {
    watch_registry registry;
    registry.add("/q/a", k_ann);
    registry.add("/q/a", k_bob);
    EXPECT_FALSE(registry.remove("/q/a", k_ann));
    registry.drop("/q/a");
    registry.add("/q/a", k_bob);
    EXPECT_FALSE(registry.remove_unset("/q/a", k_bob));
}

TEST(watch_registry, counts_the_bytes_of_each_path_once) {
    watch_registry registry;
    registry.add("/q/a", k_ann);
    registry.add("/q/a", k_bob);
    registry.add("/q/a", k_ann);
    registry.add("/q/long", k_bob);
    EXPECT_EQ(registry.bytes(), 11U);
    EXPECT_EQ(registry.size(), 2U);
    EXPECT_FALSE(registry.remove("/q/a", k_bob));
    EXPECT_EQ(registry.bytes(), 11U);
    EXPECT_TRUE(registry.remove("/q/a", k_ann));
    EXPECT_FALSE(registry.remove("/q/a", k_ann));
    EXPECT_EQ(registry.bytes(), 7U);
    registry.drop("/q/a");
    registry.drop("/q/long");
    EXPECT_EQ(registry.bytes(), 0U);
    EXPECT_EQ(registry.size(), 0U);
}

TEST(watch_registry, has_nothing_to_give_back_of_a_path_that_nobody_wanted) {
    watch_registry registry;
    EXPECT_FALSE(registry.remove("/q/a", k_ann));
    registry.add("/q/a", k_ann);
    EXPECT_FALSE(registry.remove("/q/a", k_bob));
    EXPECT_FALSE(registry.interested("/q/a").empty());
}

TEST(watch_registry, forgets_what_went_with_its_znode) {
    watch_registry registry;
    registry.add("/q/a", k_ann);
    registry.add("/q/b", k_bob);
    registry.drop("/q/a");
    EXPECT_FALSE(registry.remove("/q/a", k_ann));
    EXPECT_THAT(registry.interested("/q/b"), ElementsAre(k_bob));
    registry.drop("/q/b");
    EXPECT_EQ(registry, watch_registry{});
}

TEST(watch_registry, forgets_an_interest_with_a_deletion_and_not_with_a_change) {
    watch_registry registry;
    registry.add("/q/a", k_ann);
    registry.add("/q/a", k_bob);
    EXPECT_THAT(registry.fired({watch_kind::changed, "/q/a", 1}), ElementsAre(k_ann, k_bob));
    EXPECT_THAT(registry.fired({watch_kind::deleted, "/q/a", 1}), ElementsAre(k_ann, k_bob));
    EXPECT_THAT(registry.fired({watch_kind::deleted, "/q/a", 1}), IsEmpty());
    EXPECT_EQ(registry.size(), 0U);
}

TEST(watch_registry, gives_back_at_the_next_attach_once) {
    watch_registry registry;
    registry.add("/q/a", k_ann);
    EXPECT_TRUE(registry.remove("/q/a", k_ann));
    registry.give_back_later("/q/a");
    EXPECT_THAT(registry.take_given_back(), ElementsAre("/q/a"));
    EXPECT_THAT(registry.take_given_back(), IsEmpty());
}

TEST(watch_registry, does_not_give_back_a_path_that_is_watched_again) {
    watch_registry registry;
    registry.give_back_later("/q/a");
    registry.add("/q/a", k_bob);
    EXPECT_THAT(registry.take_given_back(), IsEmpty());
}

}  // namespace watch_registry_tests
}  // namespace turnstile::core
