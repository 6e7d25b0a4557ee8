// SPDX-License-Identifier: Apache-2.0
#include "core/queue/znode_texts.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace turnstile::core {
namespace {

constexpr auto k_lock = contender_family::lock;
constexpr auto k_latch = contender_family::latch;
constexpr auto k_most = std::numeric_limits<std::int32_t>::max();
constexpr auto k_least = std::numeric_limits<std::int32_t>::min();

TEST(low_water_mark, is_read_as_it_is_written) {
    for (const auto of : {k_lock, k_latch})
        for (const auto number : {0, 7, k_most, k_least})
            EXPECT_EQ(parse_low_water_mark(of, low_water_text(of, number)), number);
    EXPECT_EQ(low_water_text(k_lock, 42), "lock-floor 42");
}

// A low-water mark is a number: every contender with this or a lower number is gone. Locks and latches may share a
// folder. A contender for a lock ignores a latch's mark, and a contender for a latch ignores a lock's mark.
TEST(low_water_mark, of_another_family_is_none) {
    EXPECT_FALSE(parse_low_water_mark(k_lock, low_water_text(k_latch, 7)));
    EXPECT_FALSE(parse_low_water_mark(k_latch, low_water_text(k_lock, 7)));
}

TEST(low_water_mark, is_not_what_somebody_else_wrote) {
    for (const auto* text : {"", "lock-floor", "lock-floor ", "lock-floor 07", "lock-floor +7",
                             "lock-floor 7 ", "lock-floor 2147483648", "Lock-floor 7", "7"})
        EXPECT_FALSE(parse_low_water_mark(k_lock, text)) << text;
}

TEST(low_water_mark, leaves_nobody_ahead_if_it_is_not_below_the_nearest_one) {
    EXPECT_FALSE(leaves_nobody_ahead(3, 4, 5));
    EXPECT_TRUE(leaves_nobody_ahead(4, 4, 5));
    EXPECT_TRUE(leaves_nobody_ahead(6, 4, 8));
    EXPECT_FALSE(leaves_nobody_ahead(5, 4, 5)) << "then self were gone: a list tells";
    EXPECT_FALSE(leaves_nobody_ahead(9, 4, 5));
}

TEST(low_water_mark, is_compared_by_distance) {
    EXPECT_TRUE(leaves_nobody_ahead(k_most, k_most, k_least));
    EXPECT_FALSE(leaves_nobody_ahead(k_most - 1, k_most, k_least));
    EXPECT_TRUE(leaves_nobody_ahead(k_least, k_most, k_least + 1));
}

}  // namespace
}  // namespace turnstile::core
