// SPDX-License-Identifier: Apache-2.0
// Tests a client's search for znodes that the servers create late: which folders the client lists, and for how long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <fmt/core.h>

#include "core/queue/contender_name.hpp"
#include "core/session/abandoned_creates.hpp"
#include "unit/support/times.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using test::at;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string guid(std::size_t number) {
    return fmt::format("00000000-0000-4000-8000-{:012x}", number);
}
std::string child(std::size_t number) {
    return contender_prefix(guid(number)) + "0000000007";
}

TEST(abandoned_creates, are_none_at_first) {
    const abandoned_creates none;
    EXPECT_EQ(none.size(), 0U);
    EXPECT_EQ(none.due(), std::nullopt);
}

TEST(abandoned_creates, are_claimed_once_and_in_their_folder) {
    abandoned_creates some;
    some.add("/a", guid(1), at(0s), 8s);
    some.add("/a", guid(2), at(0s), 8s);
    EXPECT_THAT(some.take("/b", {child(1)}), IsEmpty());
    EXPECT_THAT(some.take("/a", {child(3), "notes", child(1), "_c_" + guid(2)}),
                ElementsAre(child(1)));
    EXPECT_THAT(some.take("/a", {child(1)}), IsEmpty());
    EXPECT_EQ(some.size(), 1U);
    EXPECT_THAT(some.take("/a", {child(2)}), ElementsAre(child(2)));
    EXPECT_EQ(some.size(), 0U);
    EXPECT_EQ(some.due(), std::nullopt);
}

TEST(abandoned_creates, are_looked_for_at_doubling_distances) {
    abandoned_creates some;
    some.add("/a", guid(1), at(100s), 8s);
    for (const auto after : {1s, 2s, 4s, 8s, 16s}) {
        EXPECT_EQ(some.due(), at(100s + after));
        EXPECT_EQ(some.folder_due(), "/a");
        some.looked("/a", at(100s + after));
    }
    EXPECT_EQ(some.size(), 0U);
}

TEST(abandoned_creates, are_not_done_with_a_look_that_was_late_but_not_last) {
    abandoned_creates some;
    some.add("/a", guid(1), at(0s), 8s);
    some.looked("/a", at(5s));
    EXPECT_EQ(some.due(), at(8s));
    some.looked("/b", at(100s));
    some.looked("/a", at(16s - 1ns));
    EXPECT_EQ(some.due(), at(16s));
    some.looked("/a", at(20s));
    EXPECT_EQ(some.size(), 0U);
}

TEST(abandoned_creates, of_several_folders_are_looked_for_in_turn) {
    abandoned_creates some;
    some.add("/b", guid(1), at(0s), 8s);
    some.add("/a", guid(2), at(500ms), 8s);
    EXPECT_EQ(some.folder_due(), "/b");
    some.looked("/b", at(1s));
    EXPECT_EQ(some.folder_due(), "/a");
    EXPECT_EQ(some.due(), at(1500ms));
}

TEST(abandoned_creates, are_bounded_and_the_oldest_is_dropped) {
    abandoned_creates some;
    for (std::size_t i = 0; i <= abandoned_creates::k_most; ++i)
        some.add(i % 2 == 0 ? "/a" : "/b", guid(i), at(std::chrono::milliseconds{i}), 3600s);
    EXPECT_EQ(some.size(), abandoned_creates::k_most);
    EXPECT_THAT(some.take("/a", {child(0)}), IsEmpty());
    EXPECT_THAT(some.take("/b", {child(1)}), ElementsAre(child(1)));
}

}  // namespace
}  // namespace turnstile::core
