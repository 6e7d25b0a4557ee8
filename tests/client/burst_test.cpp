// SPDX-License-Identifier: Apache-2.0
// Tests bursts: a client makes many acquires at once. The servers are in memory.
#include "integration/burst.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class burst_in_memory : public shell_test {
protected:
    [[nodiscard]] std::unique_ptr<client> connect_for_a_short_time(unsigned sessions = 16) const {
        return connect({.session_timeout = testing::scaled(9s), .max_sessions = sessions});
    }
};

TEST_F(burst_in_memory, of_acquires_of_free_locks_costs_no_hold) {
    expect_a_burst_costs_no_hold(*connect_for_a_short_time(), "/free", 10'000);
}

TEST_F(burst_in_memory, of_waiters_that_give_up_costs_no_hold) {
    const auto servers = connect_for_a_short_time();
    const auto other = connect();
    expect_a_crowd_costs_no_hold(*servers, *other, "/held", 10'000);
}

TEST_F(burst_in_memory, beyond_what_the_sessions_may_own_is_refused_and_costs_no_hold) {
    const auto servers = connect_for_a_short_time(1);
    const auto other = connect();
    expect_a_burst_beyond_all_room_costs_no_hold(*servers, *other, "/held", 10'000);
}

}  // namespace
}  // namespace turnstile::tests
