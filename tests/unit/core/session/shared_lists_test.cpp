// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnstile::core {
namespace shared_lists_tests {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr list_sharer k_ann{contender_id{1}, ticket{11}};
constexpr list_sharer k_bob{contender_id{2}, ticket{12}};
constexpr ticket k_first{10};
constexpr ticket k_second{20};

TEST(shared_lists, who_comes_while_a_list_is_under_way_has_the_next_one) {
    shared_lists lists;
    EXPECT_FALSE(lists.is_under_way("/q", 1));
    lists.sent("/q", 1, k_first);
    EXPECT_TRUE(lists.is_under_way("/q", 1));
    lists.join("/q", k_ann);
    lists.join("/q", k_bob);
    EXPECT_THAT(lists.answered("/q", k_first), ElementsAre(k_ann, k_bob));
    lists.sent("/q", 1, k_second);
    EXPECT_THAT(lists.answered("/q", k_second), IsEmpty());
    EXPECT_EQ(lists, shared_lists{});
}

TEST(shared_lists, folders_are_apart) {
    shared_lists lists;
    lists.sent("/q", 1, k_first);
    EXPECT_FALSE(lists.is_under_way("/r", 1));
}

TEST(shared_lists, a_list_of_an_earlier_connection_is_not_waited_for) {
    shared_lists lists;
    lists.sent("/q", 1, k_first);
    EXPECT_FALSE(lists.is_under_way("/q", 2));
    lists.sent("/q", 2, k_second);
    lists.join("/q", k_ann);
    EXPECT_THAT(lists.answered("/q", k_first), IsEmpty()) << "its answer comes late";
    EXPECT_THAT(lists.answered("/q", k_second), ElementsAre(k_ann));
}

TEST(shared_lists, a_folder_that_is_dropped_is_listed_anew) {
    shared_lists lists;
    lists.sent("/q", 1, k_first);
    lists.join("/q", k_ann);
    EXPECT_THAT(lists.answered("/q", k_first), ElementsAre(k_ann));
    lists.drop("/q");
    EXPECT_FALSE(lists.is_under_way("/q", 1));
}

}  // namespace shared_lists_tests
}  // namespace turnstile::core
