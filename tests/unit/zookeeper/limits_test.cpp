// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/limits.hpp"

#include <gtest/gtest.h>

namespace turnstile::zookeeper {
namespace {

using namespace std::chrono_literals;

TEST(entry_limit, grows_with_the_rounds_without_a_session) {
    EXPECT_EQ(entry_limit(3s, 0), 2s);
    EXPECT_EQ(entry_limit(3s, 1), 4s);
    EXPECT_EQ(entry_limit(3s, 3), 16s);
    EXPECT_EQ(entry_limit(3s, 4), k_longest_entry_limit);
    EXPECT_EQ(entry_limit(1h, 0), k_entry_limit);
    EXPECT_EQ(entry_limit(1h, 1), 10s);
    EXPECT_EQ(entry_limit(1ms, 1'000'000'000), k_longest_entry_limit);
}

}  // namespace
}  // namespace turnstile::zookeeper
