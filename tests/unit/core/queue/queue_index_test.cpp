// SPDX-License-Identifier: Apache-2.0
// Tests the positions that the class `queue_index` gives to many contenders of one list, and the cases in which it
// gives no position. queue_rule_property_test.cpp compares queue_index with decide().
#include "core/queue/queue_rule.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::core {
namespace {

using numbers = std::numeric_limits<std::int32_t>;

std::string lock(std::int32_t number) {
    return contender_child("6cd7ac7a-8fdd-4f1c-9f1b-3a0d3a4b9a3f", {claim_kind::lock}, number);
}

TEST(queue_index, says_who_is_ahead_and_how_many) {
    const std::vector<std::string> children{lock(7), "foreign", lock(3), lock(5)};
    const queue_index index{children, contender_family::lock};
    const auto first = index.decide(lock(3));
    ASSERT_TRUE(first);
    EXPECT_EQ(first->verdict, verdict::granted);
    EXPECT_EQ(first->predecessor, "");
    const auto last = index.decide(lock(7));
    ASSERT_TRUE(last);
    EXPECT_EQ(last->verdict, verdict::wait_on);
    EXPECT_EQ(last->predecessor, lock(5));
    EXPECT_EQ(last->ahead, 2U);
}

TEST(queue_index, names_the_kind_that_came_before) {
    const auto other = [](claim_kind kind, std::int32_t number) {
        return contender_child("6cd7ac7a-8fdd-4f1c-9f1b-3a0d3a4b9a3f", {kind}, number);
    };
    const std::vector<std::string> children{lock(7), other(claim_kind::read, 6), lock(3),
                                            other(claim_kind::permit, 5)};
    const queue_index index{children, contender_family::lock};
    for (const auto& self : {lock(3), lock(7)})
        EXPECT_EQ(index.decide(self), decide(children, self));
    EXPECT_EQ(index.decide(lock(3))->foreign, std::nullopt);
    EXPECT_EQ(index.decide(lock(7))->foreign, contender_family::semaphore);
}

TEST(queue_index, keeps_the_order_across_a_wrap) {
    const std::vector<std::string> children{lock(numbers::min() + 2'000'000),
                                            lock(numbers::max() - 5)};
    const queue_index index{children, contender_family::lock};
    const auto later = index.decide(children.front());
    ASSERT_TRUE(later);
    EXPECT_EQ(later->predecessor, children.back());
}

// Here the index gives no answer, so decide() has to read each name.
TEST(queue_index, says_nothing_where_numbers_do_not_tell) {
    const auto at_end = lock(numbers::max());
    const auto other = contender_child("other", {claim_kind::lock}, 3);
    const std::vector<std::vector<std::string>> lists{
        {lock(3), at_end},                                    // the end of the counter
        {lock(3), other},                                     // equal numbers
        {lock(0), lock(1'500'000'000), lock(-1'500'000'000)}  // numbers too far apart
    };
    for (const auto& children : lists)
        EXPECT_EQ(queue_index(children, contender_family::lock).decide(children.front()),
                  std::nullopt);
    const std::vector<std::string> single{lock(3)};
    EXPECT_EQ(queue_index(single, contender_family::lock).decide(lock(4)), std::nullopt)
        << "it is not in the list";
    EXPECT_EQ(queue_index(single, contender_family::read_write).decide(lock(3)), std::nullopt);
}

}  // namespace
}  // namespace turnstile::core
