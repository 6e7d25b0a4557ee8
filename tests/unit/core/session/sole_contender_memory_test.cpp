// SPDX-License-Identifier: Apache-2.0
#include "core/session/sole_contender_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnstile::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

constexpr auto k_lock = contender_family::lock;
constexpr ticket k_watching{7};

class sole_contender_memory_of : public ::testing::Test {
protected:
    // Lets contender `number` be first in its folder, and then leave.
    void passes(const std::string& folder, std::int32_t number) {
        memory.leaves(folder, k_lock, number);
        memory.left(folder, k_lock, number);
    }
    // Lets two contenders enter and leave, one after the other. While the second contender is there, the client sets a
    // watch on the folder.
    void passes_twice(const std::string& folder, std::int32_t number) {
        passes(folder, number);
        EXPECT_TRUE(memory.entered(folder, k_lock, number + 1));
        memory.watch_sent(folder, k_watching);
        memory.watch_answered(folder, k_watching, true);
        passes(folder, number + 1);
    }

    sole_contender_memory memory{2};
};

TEST_F(sole_contender_memory_of, a_folder_that_is_taken_again_is_worth_a_watch_and_then_no_list) {
    EXPECT_FALSE(memory.entered("/a", k_lock, 4));
    passes("/a", 4);
    EXPECT_FALSE(memory.omits_list("/a", k_lock)) << "no watch yet";
    EXPECT_EQ(memory.sole_number("/a", k_lock), std::nullopt);
    EXPECT_TRUE(memory.entered("/a", k_lock, 5));
    memory.watch_sent("/a", k_watching);
    memory.leaves("/a", k_lock, 5);
    memory.watch_answered("/a", k_watching, true);
    EXPECT_TRUE(memory.omits_list("/a", k_lock)) << "the removal is likely to be answered first";
    EXPECT_EQ(memory.sole_number("/a", k_lock), std::nullopt) << "and nothing is known before";
    memory.left("/a", k_lock, 5);
    EXPECT_THAT(memory.sole_number("/a", k_lock), Optional(6));
    EXPECT_FALSE(memory.entered("/a", k_lock, 6)) << "it is watched";
    EXPECT_EQ(memory.sole_number("/a", k_lock), std::nullopt) << "this contender is in the folder";
    EXPECT_FALSE(memory.omits_list("/a", k_lock));
    passes("/a", 6);
    EXPECT_THAT(memory.sole_number("/a", k_lock), Optional(7));
    EXPECT_THAT(memory.take_forgotten(), IsEmpty());
}

TEST_F(sole_contender_memory_of, a_folder_ends_with_another_number) {
    passes_twice("/a", 4);
    EXPECT_FALSE(memory.entered("/a", k_lock, 7));
    EXPECT_FALSE(memory.omits_list("/a", k_lock));
    EXPECT_THAT(memory.take_forgotten(), ElementsAre("/a"));
}

TEST_F(sole_contender_memory_of, a_probe_beside_a_contender_takes_the_next_number) {
    EXPECT_FALSE(memory.entered("/a", k_lock, 4));
    memory.probed("/a", 4);
    passes("/a", 4);
    EXPECT_TRUE(memory.entered("/a", k_lock, 6));
    memory.watch_sent("/a", k_watching);
    memory.watch_answered("/a", k_watching, true);
    memory.probed("/a", 6);
    passes("/a", 6);
    EXPECT_THAT(memory.sole_number("/a", k_lock), Optional(8));
    EXPECT_FALSE(memory.entered("/a", k_lock, 7)) << "another client's contender";
    EXPECT_THAT(memory.take_forgotten(), ElementsAre("/a"));
}

TEST_F(sole_contender_memory_of, a_probe_counts_for_its_own_contender_only) {
    memory.probed("/a", 4);
    passes("/a", 5);
    EXPECT_TRUE(memory.entered("/a", k_lock, 6));
    memory.probed("/a", 4);
    passes("/a", 6);
    EXPECT_FALSE(memory.entered("/a", k_lock, 8));
}

TEST_F(sole_contender_memory_of, a_probe_of_an_earlier_connection_does_not_count) {
    EXPECT_FALSE(memory.entered("/a", k_lock, 4));
    memory.probed("/a", 4);
    memory.detached();
    passes("/a", 4);
    EXPECT_TRUE(memory.entered("/a", k_lock, 5));
}

TEST_F(sole_contender_memory_of, a_folder_ends_with_an_event) {
    passes_twice("/a", 4);
    memory.forget("/a");
    EXPECT_EQ(memory.sole_number("/a", k_lock), std::nullopt);
    passes("/a", 5);
    EXPECT_FALSE(memory.omits_list("/a", k_lock)) << "the watch is used up";
}

TEST_F(sole_contender_memory_of, a_folder_ends_with_a_watch_that_is_not_set) {
    passes("/a", 4);
    EXPECT_TRUE(memory.entered("/a", k_lock, 5));
    memory.watch_sent("/a", k_watching);
    memory.watch_answered("/a", ticket{6}, false);
    EXPECT_THAT(memory.take_forgotten(), IsEmpty()) << "the answer to an earlier request";
    memory.watch_answered("/a", k_watching, false);
    EXPECT_THAT(memory.take_forgotten(), ElementsAre("/a"));
    passes("/a", 5);
    EXPECT_FALSE(memory.omits_list("/a", k_lock));
}

TEST_F(sole_contender_memory_of, numbers_end_with_the_connection_and_watches_do_not) {
    passes_twice("/a", 4);
    memory.detached();
    EXPECT_FALSE(memory.omits_list("/a", k_lock));
    EXPECT_EQ(memory.sole_number("/a", k_lock), std::nullopt);
    memory.left("/a", k_lock, 5);
    EXPECT_EQ(memory.sole_number("/a", k_lock), std::nullopt) << "a late answer";
    passes("/a", 9);
    EXPECT_THAT(memory.sole_number("/a", k_lock), Optional(10));
}

TEST_F(sole_contender_memory_of, the_removal_of_another_contender_shows_nothing) {
    passes_twice("/a", 4);
    memory.leaves("/a", k_lock, 9);
    memory.left("/a", k_lock, 5);
    EXPECT_EQ(memory.sole_number("/a", k_lock), std::nullopt);
}

TEST_F(sole_contender_memory_of, another_kind_of_contender_has_another_queue) {
    passes_twice("/a", 4);
    EXPECT_FALSE(memory.omits_list("/a", contender_family::latch));
    EXPECT_EQ(memory.sole_number("/a", contender_family::latch), std::nullopt);
    EXPECT_FALSE(memory.entered("/a", contender_family::latch, 6));
    EXPECT_FALSE(memory.omits_list("/a", k_lock)) << "its number is taken";
}

TEST_F(sole_contender_memory_of, the_least_recently_used_folder_is_forgotten) {
    passes_twice("/a", 4);
    passes("/b", 1);
    passes("/a", 5);
    passes("/c", 1);
    EXPECT_TRUE(memory.omits_list("/a", k_lock));
    EXPECT_FALSE(memory.entered("/b", k_lock, 2)) << "forgotten";
    EXPECT_THAT(memory.take_forgotten(), IsEmpty()) << "it was not watched";
    EXPECT_TRUE(memory.entered("/c", k_lock, 2));
    passes("/d", 1);
    EXPECT_THAT(memory.take_forgotten(), ElementsAre("/a"));
}

TEST_F(sole_contender_memory_of, the_order_of_use_counts_and_not_how_often) {
    sole_contender_memory other{2};
    passes("/a", 4);
    EXPECT_NE(memory, other);
    for (const auto number : {3, 4}) {
        other.leaves("/a", k_lock, number);
        other.left("/a", k_lock, number);
    }
    EXPECT_EQ(memory, other);
}

}  // namespace
}  // namespace turnstile::core
