// SPDX-License-Identifier: Apache-2.0
#include "core/queue/queue_rule.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace turnstile::core {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

using names = std::vector<std::string>;

std::string contender(int client, std::int32_t sequence) {
    return fmt::format("_c_{:08x}-0000-4000-8000-000000000000-lock-{:010d}", client, sequence);
}

TEST(queue_rule, grants_the_only_contender) {
    const auto self = contender(1, 0);
    const auto judged = decide({self}, self);
    EXPECT_EQ(judged.verdict, verdict::granted);
    EXPECT_EQ(judged.ahead, 0U);
    EXPECT_EQ(judged.predecessor, "");
    EXPECT_FALSE(judged.ties);
}

TEST(queue_rule, grants_the_lowest_number_whatever_the_guids_and_the_lists_order) {
    const names children{contender(1, 12), contender(9, 3), contender(5, 7)};
    EXPECT_EQ(decide(children, children[1]).verdict, verdict::granted);
    EXPECT_EQ(decide(children, children[0]).verdict, verdict::wait_on);
    EXPECT_EQ(decide(children, children[2]).verdict, verdict::wait_on);
}

TEST(queue_rule, waits_on_the_nearest_one_ahead) {
    const names children{contender(4, 9), contender(1, 2), contender(3, 7), contender(2, 4)};
    EXPECT_EQ(decide(children, children[0]),
              (decision{verdict::wait_on, contender(3, 7), 3, {}, false}));
    EXPECT_EQ(decide(children, children[2]),
              (decision{verdict::wait_on, contender(2, 4), 2, {}, false}));
    EXPECT_EQ(decide(children, children[3]),
              (decision{verdict::wait_on, contender(1, 2), 1, {}, false}));
}

TEST(queue_rule, is_absent_when_somebody_removed_it) {
    EXPECT_EQ(decide({}, contender(1, 0)), decision{});
    EXPECT_EQ(decide({contender(2, 0)}, contender(1, 0)).verdict, verdict::absent);
    EXPECT_EQ(decide({contender(2, 0), contender(3, 1)}, contender(1, 2)).verdict, verdict::absent);
}

TEST(queue_rule, is_absent_under_a_name_that_is_no_contenders) {
    EXPECT_EQ(decide({"x-1-0000000001"}, "x-1-0000000001").verdict, verdict::absent);
}

// A contender of another kind does not block the mutex. The decision still names the earliest such contender ahead.
TEST(queue_rule, names_the_kind_that_came_before) {
    const auto of = [](claim_kind kind, std::int32_t number) {
        return contender_child("6cd7ac7a-8fdd-4f1c-9f1b-3a0d3a4b9a3f", {kind}, number);
    };
    const auto self = contender(1, 5);
    const auto foreign = [&](names children) {
        children.push_back(self);
        const auto judged = decide(children, self);
        EXPECT_EQ(judged.verdict, verdict::granted);
        return judged.foreign;
    };
    EXPECT_EQ(foreign({"README"}), std::nullopt);
    EXPECT_EQ(foreign({of(claim_kind::write, 6)}), std::nullopt);
    EXPECT_EQ(foreign({of(claim_kind::write, 4), of(claim_kind::permit, 2)}),
              contender_family::semaphore);
}

// Failure F14: a foreign child must not block the queue.
TEST(queue_rule, ignores_foreign_children) {
    const auto self = contender(1, 5);
    const names children{"",
                         "README",
                         "0000000000",
                         "x-0-0000000001",
                         "2c5a3f1de1534d5ba2e2f8a3a1f5f6c7__lock__0000000002",
                         "_c_6a8b1f5e-b0d3-4b1f-9c36-d3b0e4a4f0d7-__WRIT__0000000003",
                         self};
    EXPECT_EQ(decide(children, self).verdict, verdict::granted);
}

TEST(queue_rule, queues_behind_go_and_unprotected_curator) {
    const auto self = contender(1, 5);
    const names children{"_c_3f2504e04f8941d39a0c0305e82c3301-lock-0000000004", "lock-0000000003",
                         self};
    const auto judged = decide(children, self);
    EXPECT_EQ(judged.ahead, 2U);
    EXPECT_EQ(judged.predecessor, children[0]);
}

// Failure F18: sequence numbers continue at -2^31 after the largest number.
TEST(queue_rule, keeps_the_order_across_a_wrap) {
    const auto before = contender(3, 2147483646);
    const auto last = contender(2, 2147483647);
    const auto wrapped = contender(1, -2147483647 - 1 + 1'000'000);
    const auto after = contender(0, -2147483647 + 1'000'000);
    const names children{wrapped, last, after, before};
    EXPECT_EQ(decide(children, before).verdict, verdict::granted);
    EXPECT_EQ(decide(children, last).predecessor, before);
    EXPECT_EQ(decide(children, wrapped).predecessor, last);
    EXPECT_EQ(decide(children, after), (decision{verdict::wait_on, wrapped, 3, {}, false}));
}

// Failure F18: at the end of the counter, ZooKeeper 3.8.0 gives negative numbers and then the largest number again. Two
// clients once held one mutex for that reason.
TEST(queue_rule, lets_the_czxids_decide_at_the_counters_end) {
    const auto before = contender(5, 2147483646);
    const auto first = contender(4, 2147483647);
    const auto second = contender(3, -2147483647 - 1);
    const auto third = contender(2, -2147483647);
    const auto newcomer = contender(1, 2147483647);
    const std::map<std::string, std::int64_t> czxids{
        {first, 11}, {second, 12}, {third, 13}, {newcomer, 20}};
    const names all{newcomer, third, second, first, before};
    EXPECT_THAT(decide(all, third).tied, UnorderedElementsAre(newcomer, second, first));
    EXPECT_EQ(decide(all, before, czxids).verdict, verdict::granted);
    EXPECT_EQ(decide(all, first, czxids).predecessor, before);
    EXPECT_EQ(decide(all, newcomer, czxids), (decision{verdict::wait_on, third, 4, {}, true}));
    EXPECT_EQ(decide({newcomer, third}, third, czxids).verdict, verdict::granted);
    EXPECT_EQ(decide({newcomer, third}, newcomer, czxids).predecessor, third);
}

// Failure F18: the counter of 3.8.0 stops at its end, so every further contender has the same number.
TEST(queue_rule, asks_for_the_czxids_of_equal_numbers) {
    const auto self = contender(1, 2147483647);
    const auto name = contender(2, 2147483647);
    const auto other = contender(3, 2147483647);
    const names children{name, self, other};
    const auto judged = decide(children, self, {{self, 20}});
    EXPECT_EQ(judged.verdict, verdict::ask_czxid);
    EXPECT_TRUE(judged.ties);
    EXPECT_THAT(judged.tied, UnorderedElementsAre(name, other));
    EXPECT_THAT(decide(children, self, {{self, 20}, {name, 10}}).tied, ElementsAre(other));
}

TEST(queue_rule, lets_the_czxids_of_equal_numbers_decide) {
    const auto self = contender(1, 2147483647);
    const auto name = contender(2, 2147483647);
    const auto other = contender(3, 2147483647);
    const names children{name, self, other};
    EXPECT_EQ(decide(children, self, {{self, 20}, {name, 10}, {other, 15}}),
              (decision{verdict::wait_on, other, 2, {}, true}));
    EXPECT_EQ(decide(children, self, {{self, 20}, {name, 10}, {other, 30}}),
              (decision{verdict::wait_on, name, 1, {}, true}));
    EXPECT_EQ(decide(children, self, {{self, 20}, {name, 40}, {other, 30}}),
              (decision{verdict::granted, "", 0, {}, true}));
}

TEST(queue_rule, puts_equal_numbers_behind_lower_ones) {
    const auto self = contender(1, 2147483647);
    const auto tied = contender(2, 2147483647);
    const auto lower = contender(3, 2147483640);
    const names children{tied, lower, self};
    EXPECT_EQ(decide(children, self, {{self, 20}, {tied, 10}}),
              (decision{verdict::wait_on, tied, 2, {}, true}));
    EXPECT_EQ(decide(children, self, {{self, 20}, {tied, 30}}),
              (decision{verdict::wait_on, lower, 1, {}, true}));
}

TEST(queue_rule, asks_nothing_about_equal_numbers_of_others) {
    const auto self = contender(1, 9);
    const names children{contender(2, 3), contender(3, 3), self};
    const auto judged = decide(children, self);
    EXPECT_EQ(judged.verdict, verdict::wait_on);
    EXPECT_EQ(judged.ahead, 2U);
    EXPECT_FALSE(judged.ties);
}

TEST(queue_rule, decides_big_queues) {
    constexpr int k_many = 100'000;
    names children;
    for (int i = 0; i != k_many; ++i) children.push_back(contender(k_many - i, 2147483647 - i));
    EXPECT_EQ(decide(children, children.back()).verdict, verdict::granted);
    const auto judged = decide(children, children.front());
    EXPECT_EQ(judged.ahead, children.size() - 1);
    EXPECT_EQ(judged.predecessor, children[1]);
}

}  // namespace
}  // namespace turnstile::core
