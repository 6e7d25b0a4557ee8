// SPDX-License-Identifier: Apache-2.0
// Tests where the relay bound comes from: the user's option, the servers' configuration, or the values of ZooKeeper's
// sample configuration. The bound is the longest time until the leader learns of a message that a follower has
// answered.
#include "core/lease/relay_bound.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "core/lease/lease.hpp"
#include "unit/support/times.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using test::at;

constexpr server_pace k_quick{500ms, 4};

TEST(relay_bound, is_the_samples_where_nothing_is_known) {
    EXPECT_EQ(relay_bound({}, {}, {}), 12s);
    EXPECT_EQ(relay_bound({.asked = 30s}, {}, 30s), 12s);
    EXPECT_EQ(relay_bound({.asked = 30s}, {}, 4s), 12s) << "maxSessionTimeout may be configured";
}

TEST(relay_bound, is_the_servers_where_they_tell) {
    EXPECT_EQ(relay_bound({.asked = 30s}, k_quick, 30s), 2500ms);
    EXPECT_EQ(relay_bound({.asked = 30s}, server_pace{6s, 5}, 30s), 36s) << "longer, too";
    EXPECT_EQ(relay_bound({.assumed_stall = 1s}, k_quick, {}), 1250ms);
}

TEST(relay_bound, is_the_users_where_he_says) {
    EXPECT_EQ(relay_bound({.tick = 1s, .sync_limit = 2}, k_quick, 50s), 3s);
    EXPECT_EQ(relay_bound({.tick = 1s}, k_quick, {}), 5s);
    EXPECT_EQ(relay_bound({.sync_limit = 1}, k_quick, {}), 1s);
    EXPECT_EQ(relay_bound({.tick = 1s, .assumed_stall = 3s}, k_quick, {}), 3500ms);
}

// By default servers grant session timeouts of 2 to 20 ticks. So a tick is at least a twentieth of the granted timeout.
// If the servers granted a longer timeout than the client asked for, they granted the minimum, and a tick is half of
// that minimum.
TEST(relay_bound, is_longer_where_the_granted_timeout_speaks_of_a_longer_tick) {
    EXPECT_EQ(relay_bound({.asked = 60s}, {}, 60s), 18s) << "3 s are 60 s / 20";
    EXPECT_EQ(relay_bound({.asked = 1s}, {}, 10s), 30s) << "5 s are 10 s / 2";
    EXPECT_EQ(relay_bound({.tick = 2s, .asked = 1s}, {}, 10s), 12s) << "the user knows";
}

TEST(relay_bound, of_any_values_does_not_overflow) {
    const server_pace slow{std::chrono::milliseconds{std::numeric_limits<std::int32_t>::max()},
                           std::numeric_limits<std::int32_t>::max()};
    EXPECT_GT(relay_bound({}, slow, {}), std::chrono::years{9});
}

// ---- a lease after the client has learned the servers' configuration ------------------------

class bound_of_a_connection : public ::testing::Test {
protected:
    bound_of_a_connection() {
        session_lease.opening(at(0s));
        session_lease.attached(1, 20s, at(0s));
    }
    lease session_lease{lease_rule{12s, false, 0}};
};

TEST_F(bound_of_a_connection, counts_from_when_it_is_known) {
    session_lease.answered(1, at(1s), at(1s), false);
    session_lease.answered(1, at(5s), at(5s), true);
    EXPECT_EQ(session_lease.valid_until(), at(20s)) << "nothing has matured";
    session_lease.relay_bound_known(1, 3s);
    session_lease.answered(1, at(6s), at(6s), true);
    EXPECT_EQ(session_lease.valid_until(), at(21s)) << "the touch of 1 s has";
}

TEST_F(bound_of_a_connection, is_the_rules_again_on_the_next_one) {
    session_lease.relay_bound_known(1, 3s);
    EXPECT_TRUE(session_lease.is_ample());
    session_lease.detached();
    session_lease.attached(2, 20s, at(1s));
    EXPECT_EQ(session_lease.servers_bound(), 12s);
    EXPECT_FALSE(session_lease.is_ample());
    session_lease.relay_bound_known(1, 3s);
    EXPECT_EQ(session_lease.servers_bound(), 12s) << "of an earlier connection";
}

// The client assumed a relay bound of 12 s: the longest time until the leader learns of a message to a follower. A read
// then extended the chain of answered requests. Later the client learns that the bound is 18 s. With this bound the
// leader may have learned of the read too late, so the chain ends before the read.
TEST_F(bound_of_a_connection, takes_back_what_a_shorter_one_linked) {
    session_lease.answered(1, at(7s), at(7s), false);
    EXPECT_EQ(session_lease.trusted_until(), at(20s)) << "7 s + S - R, and no less than the lease";
    session_lease.relay_bound_known(1, 18s);
    session_lease.answered(1, at(20s), at(20s), true);
    EXPECT_EQ(session_lease.valid_until(), at(20s)) << "the chain ended with the first link";
}

TEST_F(bound_of_a_connection, is_ample_with_five_halves_of_it) {
    EXPECT_FALSE(session_lease.is_ample());
    session_lease.relay_bound_known(1, 8s);
    EXPECT_TRUE(session_lease.is_ample());
    session_lease.relay_bound_known(1, 8001ms);
    EXPECT_FALSE(session_lease.is_ample());
    session_lease.role_known(1, server_role::leader, at(1s));
    EXPECT_TRUE(session_lease.is_ample()) << "no relay";
}

}  // namespace
}  // namespace turnstile::core
