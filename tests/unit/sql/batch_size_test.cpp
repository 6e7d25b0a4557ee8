// SPDX-License-Identifier: Apache-2.0
#include "sql/request_batch.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace turnstile::sql {
namespace {

using namespace std::chrono_literals;

TEST(batch_size, begins_with_the_largest_batch_and_never_exceeds_it) {
    batch_size size{1s};
    EXPECT_EQ(size.most(), k_most_together);
    size.took(1ms);
    EXPECT_EQ(size.most(), k_most_together);
}

TEST(batch_size, is_halved_by_a_batch_that_takes_more_than_a_twentieth_of_the_timeout) {
    batch_size size{1s};
    size.took(1ms);
    size.took(50ms);
    EXPECT_EQ(size.most(), k_most_together);
    size.took(51ms);
    EXPECT_EQ(size.most(), k_most_together / 2);
    size.took(1ms);
    EXPECT_EQ(size.most(), k_most_together);
}

TEST(batch_size, is_not_halved_by_the_round_trips_to_a_distant_server) {
    batch_size size{1s};
    size.took(100ms);
    size.took(400ms);
    EXPECT_EQ(size.most(), k_most_together);
    size.took(405ms);
    EXPECT_EQ(size.most(), k_most_together / 2);
}

TEST(batch_size, is_never_below_one) {
    batch_size size{1s};
    size.took(1ms);
    for (int i = 0; i != 20; ++i) size.took(1s);
    EXPECT_EQ(size.most(), 1U);
}

TEST(batch_size, is_one_after_a_failure_and_grows_again) {
    batch_size size{1s};
    size.failed();
    EXPECT_EQ(size.most(), 1U);
    size.took(1ms);
    EXPECT_EQ(size.most(), 2U);
}

}  // namespace
}  // namespace turnstile::sql
