// SPDX-License-Identifier: Apache-2.0
// Tests the lease's chain of answered requests. The leader must get each request within a session timeout after it got
// the previous request. Once the chain is broken, the servers may already be expiring the session. They still answer
// the session, but such an answer proves nothing.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "core/lease/lease.hpp"
#include "unit/support/times.hpp"

namespace turnstile::core {
namespace lease_chain_tests {

using namespace std::chrono_literals;
using test::at;

constexpr duration k_relay = 12s;
constexpr duration k_timeout = 30s;
constexpr bool k_write = true;
constexpr bool k_read = false;

// Returns the lease of a new session that began to open at 10 s and attached at 11 s.
lease attached_lease(server_role role) {
    lease session_lease{lease_rule{k_relay, false, 0}};
    session_lease.opening(at(10s));
    session_lease.attached(1, k_timeout, at(11s));
    session_lease.role_known(1, role, at(11s));
    return session_lease;
}
lease at_the_leader() {
    return attached_lease(server_role::leader);
}
lease at_a_follower() {
    return attached_lease(server_role::follower);
}

duration certain(const lease& session_lease) {
    return session_lease.valid_until() - session_lease.timeout() - at(0s);
}

// ---- writes in the chain of answered requests -----------------------------------------------

TEST(lease_chain, takes_a_write_that_is_answered_before_its_end) {
    auto session_lease = at_the_leader();
    session_lease.answered(1, at(39s), at(40s - 1ns), k_write);
    EXPECT_EQ(certain(session_lease), 39s);
}

// The leader first selects the sessions to expire, and still answers each of them until it has closed that session. So
// an answer that comes at the end of the timeout, or later, proves nothing.
TEST(lease_chain, takes_no_write_that_is_answered_at_its_end_however_early_it_was_sent) {
    auto session_lease = at_the_leader();
    session_lease.answered(1, at(12s), at(40s), k_write);
    EXPECT_EQ(certain(session_lease), 10s);
}

TEST(lease_chain, takes_nothing_any_more_once_it_is_broken) {
    auto session_lease = at_the_leader();
    for (auto sent = 40s; sent != 100s; ++sent)
        session_lease.answered(1, at(sent), at(sent), k_write);
    EXPECT_EQ(certain(session_lease), 10s);
    EXPECT_EQ(session_lease.trusted_until(), at(40s));
}

TEST(lease_chain, that_is_broken_finds_no_write_useful) {
    auto session_lease = at_a_follower();
    session_lease.answered(1, at(12s), at(13s), k_read);
    session_lease.answered(1, at(45s), at(45s), k_write);
    EXPECT_EQ(session_lease.next_useful_write(), std::nullopt);
}

// ---- reads in the chain of answered requests ------------------------------------------------

TEST(lease_chain, of_reads_keeps_up_what_a_write_will_prove) {
    auto session_lease = at_the_leader();
    for (const auto sent : {20s, 30s, 45s, 60s})
        session_lease.answered(1, at(sent), at(sent + 1s), k_read);
    EXPECT_FALSE(session_lease.valid(at(61s)));
    EXPECT_EQ(session_lease.trusted_until(), at(90s));
    session_lease.answered(1, at(70s), at(71s), k_write);
    EXPECT_EQ(certain(session_lease), 70s);
}

TEST(lease_chain, is_broken_by_a_gap_between_reads) {
    auto session_lease = at_the_leader();
    session_lease.answered(1, at(20s), at(21s), k_read);
    session_lease.answered(1, at(49s), at(50s), k_read);
    session_lease.answered(1, at(51s), at(52s), k_write);
    EXPECT_EQ(certain(session_lease), 10s);
    EXPECT_EQ(session_lease.trusted_until(), at(50s));
}

TEST(lease_chain, counts_a_read_directly_only_if_the_role_was_known_when_it_was_sent) {
    auto session_lease = attached_lease(server_role::unknown);
    session_lease.role_known(1, server_role::leader, at(25s));
    session_lease.answered(1, at(25s - 1ns), at(35s), k_read);
    EXPECT_EQ(session_lease.trusted_until(), at(40s));
    session_lease.answered(1, at(25s), at(35s), k_read);
    EXPECT_EQ(session_lease.trusted_until(), at(55s));
}

// After a follower has answered a read, the leader learns of that read within the relay bound, here 12 s.
TEST(lease_chain, through_a_follower_takes_a_read_that_the_leader_has_had_in_time) {
    auto session_lease = at_a_follower();
    session_lease.answered(1, at(20s), at(28s), k_read);
    EXPECT_EQ(session_lease.trusted_until(),
              at(20s) + k_timeout - k_relay > at(40s) ? at(20s) + k_timeout - k_relay : at(40s));
    session_lease.answered(1, at(41s), at(42s), k_write);
    EXPECT_EQ(certain(session_lease), 20s);
}

TEST(lease_chain, through_a_follower_takes_no_read_that_may_have_come_to_the_leader_too_late) {
    auto session_lease = at_a_follower();
    session_lease.answered(1, at(20s), at(28s + 1ns), k_read);
    session_lease.answered(1, at(41s), at(42s), k_write);
    EXPECT_EQ(certain(session_lease), 10s);
}

// A write that is answered in time proves that the servers were not expiring the session. So every earlier request had
// extended the session.
TEST(lease_chain, through_a_follower_is_mended_by_a_write_in_time) {
    auto session_lease = at_a_follower();
    session_lease.answered(1, at(20s), at(28s + 1ns), k_read);
    EXPECT_EQ(session_lease.trusted_until(), at(40s));
    session_lease.answered(1, at(41s) - 900ms, at(41s) - 800ms, k_write);
    EXPECT_EQ(certain(session_lease), 10s) << "not in time";
    auto other = at_a_follower();
    other.answered(1, at(20s), at(27s), k_read);
    other.answered(1, at(39s), at(39s + 999ms), k_write);
    EXPECT_EQ(certain(other), 20s);
}

// ---- a chain of answered requests over several connections ----------------------------------

TEST(lease_chain, begins_on_a_new_connection_with_the_latest_answer) {
    auto session_lease = at_the_leader();
    session_lease.answered(1, at(25s), at(26s), k_read);
    session_lease.detached();
    EXPECT_EQ(session_lease.trusted_until(), at(40s)) << "the reads are not proven by anything";
    session_lease.attached(2, k_timeout, at(40s - 1ns));
    session_lease.role_known(2, server_role::leader, at(41s));
    EXPECT_EQ(session_lease.trusted_until(), at(55s)) << "the re-attach touched at the leader";
    session_lease.answered(2, at(54s), at(55s - 1ns), k_write);
    EXPECT_EQ(certain(session_lease), 54s);
}

TEST(lease_chain, does_not_begin_with_an_attach_after_its_end) {
    auto session_lease = at_the_leader();
    session_lease.answered(1, at(25s), at(26s), k_read);
    session_lease.detached();
    session_lease.attached(2, k_timeout, at(40s));
    session_lease.role_known(2, server_role::leader, at(40s));
    session_lease.answered(2, at(41s), at(42s), k_write);
    EXPECT_EQ(certain(session_lease), 10s);
    EXPECT_EQ(session_lease.trusted_until(), at(40s));
    session_lease.attached(3, k_timeout, at(43s));
    session_lease.answered(3, at(44s), at(45s), k_write);
    EXPECT_EQ(certain(session_lease), 10s) << "neither does it with a later one";
}

TEST(lease_chain, takes_no_answer_that_is_told_after_the_connection_is_gone) {
    auto session_lease = at_the_leader();
    session_lease.detached();
    session_lease.answered(1, at(12s), at(13s), k_write);
    EXPECT_EQ(certain(session_lease), 10s);
}

TEST(lease_chain, of_a_session_that_was_long_in_opening_is_broken_from_the_start) {
    lease session_lease{lease_rule{k_relay, false, 0}};
    session_lease.opening(at(10s));
    session_lease.attached(1, k_timeout, at(40s));
    session_lease.role_known(1, server_role::leader, at(40s));
    session_lease.answered(1, at(41s), at(42s), k_write);
    EXPECT_FALSE(session_lease.valid(at(42s)));
}

// ---- the interval of the requests that keep the session alive -------------------------------

TEST(lease_chain, is_kept_by_a_request_before_each_ping) {
    EXPECT_EQ(at_the_leader().keep_alive(), k_timeout * 3 / 10);
    EXPECT_EQ(at_a_follower().keep_alive(), k_timeout * 3 / 10);
}

TEST(lease_chain, is_kept_by_more_requests_where_little_is_left) {
    lease session_lease{lease_rule{k_relay, false, 0}};
    session_lease.opening(at(10s));
    session_lease.attached(1, 15s, at(11s));
    EXPECT_EQ(session_lease.keep_alive(), 1500ms);
    time_point now = at(11s);
    for (int i = 0; i != 1000; ++i) {
        now += session_lease.keep_alive();
        ASSERT_LT(now, session_lease.trusted_until()) << i;
        session_lease.answered(1, now, now + 10ms, k_read);
    }
}

TEST(lease_chain, cannot_be_kept_where_next_to_nothing_is_left) {
    lease session_lease{lease_rule{k_relay, false, 0}};
    session_lease.opening(at(10s));
    session_lease.attached(1, 12800ms, at(11s));
    EXPECT_FALSE(session_lease.can_be_kept());
    EXPECT_EQ(session_lease.keep_alive(), 400ms) << "and is not asked for without end";
    session_lease.role_known(1, server_role::leader, at(11s));
    EXPECT_TRUE(session_lease.can_be_kept());
    lease other{lease_rule{k_relay, false, 0}};
    other.opening(at(10s));
    other.attached(1, 13s, at(11s));
    EXPECT_TRUE(other.can_be_kept());
}

}  // namespace lease_chain_tests
}  // namespace turnstile::core
