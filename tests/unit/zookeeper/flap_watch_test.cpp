// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/sharer_check.hpp"

#include <gtest/gtest.h>

namespace turnstile::zookeeper {
namespace {

using namespace std::chrono_literals;

constexpr core::duration k_timeout = 9s;

class flap_watch_test : public ::testing::Test {
protected:
    bool connection(core::duration lasts) {
        flaps.attached(now);
        now += lasts;
        return flaps.detached(now, k_timeout);
    }
    // Returns how many connections in a row must end early before the client looks for the reason.
    int early_until_suspicion() {
        int count = 1;
        while (!connection(100ms)) ++count;
        return count;
    }

    core::time_point now{};
    flap_watch flaps;
};

TEST_F(flap_watch_test, connections_that_last_are_no_reason_to_look) {
    for (int i = 0; i != 1000; ++i) EXPECT_FALSE(connection(4s));
}

TEST_F(flap_watch_test, several_that_end_early_in_a_row_are_one_and_each_look_doubles_the_number) {
    EXPECT_EQ(early_until_suspicion(), k_first_suspicion);
    EXPECT_EQ(early_until_suspicion(), 2 * k_first_suspicion);
    for (int i = 0; i != 10; ++i) early_until_suspicion();
    EXPECT_EQ(early_until_suspicion(), k_last_suspicion);
}

TEST_F(flap_watch_test, one_that_lasts_ends_the_row) {
    for (int i = 1; i != k_first_suspicion; ++i) EXPECT_FALSE(connection(100ms));
    EXPECT_FALSE(connection(4s));
    EXPECT_EQ(early_until_suspicion(), k_first_suspicion);
}

TEST_F(flap_watch_test, an_end_without_an_attach_counts_nothing) {
    for (int i = 0; i != 10; ++i) EXPECT_FALSE(flaps.detached(now, k_timeout));
    EXPECT_EQ(early_until_suspicion(), k_first_suspicion);
}

}  // namespace
}  // namespace turnstile::zookeeper
