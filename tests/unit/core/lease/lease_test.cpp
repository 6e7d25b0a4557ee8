// SPDX-License-Identifier: Apache-2.0
// Tests the class `lease`: each of the clauses (a) to (d) of the rule in core/lease/lease.hpp separately, and the other
// members.
#include "core/lease/lease.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "unit/support/times.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using test::at;

constexpr duration k_relay = 12s;
constexpr duration k_timeout = 30s;
constexpr bool k_write = true;
constexpr bool k_read = false;

// Returns the lease of a new session that began to open at 10 s and attached at 11 s.
lease attached_lease(lease_rule rule = {k_relay, false, 0}) {
    lease session_lease{rule};
    session_lease.opening(at(10s));
    session_lease.attached(1, k_timeout, at(11s));
    return session_lease;
}

// Returns the instant that lease.hpp calls `c`. The lease is valid for a session timeout after `c`.
std::optional<duration> certain(const lease& session_lease) {
    if (session_lease.valid_until() == time_point::min()) return std::nullopt;
    return session_lease.valid_until() - session_lease.timeout() - at(0s);
}

// ---- a server that may not be Apache ZooKeeper ------------------------------------------------

TEST(lease, at_an_unproven_server_is_assumed_whatever_its_role) {
    auto session_lease = attached_lease();
    session_lease.role_known(1, server_role::leader, at(12s));
    session_lease.server_unproven(1);
    EXPECT_FALSE(session_lease.is_direct());
    session_lease.answered(1, at(13s), at(13s), k_read);
    session_lease.answered(1, at(26s), at(26s), k_write);
    EXPECT_EQ(certain(session_lease), 13s) << "by the relay bound, as at a follower";
    EXPECT_EQ(session_lease.rests_on(), evidence::assumed);
}

TEST(lease, at_the_next_server_is_proven_again) {
    auto session_lease = attached_lease();
    session_lease.server_unproven(2);  // an answer from another connection
    session_lease.answered(1, at(13s), at(13s), k_write);
    EXPECT_EQ(session_lease.rests_on(), evidence::relayed);
    session_lease.server_unproven(1);
    session_lease.detached();
    session_lease.attached(2, k_timeout, at(14s));
    session_lease.answered(2, at(15s), at(15s), k_write);
    EXPECT_EQ(session_lease.rests_on(), evidence::relayed);
}

// ---- before the session's first connection --------------------------------------------------

TEST(lease, is_never_valid_before_the_first_attach) {
    lease session_lease{lease_rule{k_relay, false, 0}};
    EXPECT_EQ(session_lease.valid_until(), time_point::min());
    session_lease.opening(at(10s));
    session_lease.answered(1, at(11s), at(11s), k_write);
    EXPECT_EQ(session_lease.valid_until(), time_point::min());
    EXPECT_FALSE(session_lease.valid(at(10s)));
    EXPECT_EQ(session_lease.timeout(), 0s);
    EXPECT_EQ(session_lease.next_useful_write(), std::nullopt);
}

TEST(lease, of_a_new_session_counts_from_before_it_was_opened) {
    EXPECT_EQ(certain(attached_lease()), 10s);
}

TEST(lease, is_over_at_its_end) {
    const auto session_lease = attached_lease();
    EXPECT_TRUE(session_lease.valid(at(40s - 1ns)));
    EXPECT_FALSE(session_lease.valid(at(40s)));
}

// ---- clause (a) in lease.hpp: the server is standalone or the leader ------------------------

TEST(lease, a_counts_from_a_write_to_a_server_that_touches_directly) {
    for (const auto role : {server_role::standalone, server_role::leader}) {
        auto session_lease = attached_lease();
        session_lease.role_known(1, role, at(12s));
        session_lease.answered(1, at(12s), at(13s), k_write);
        EXPECT_EQ(certain(session_lease), 12s);
    }
}

TEST(lease, a_needs_a_write) {
    auto session_lease = attached_lease();
    session_lease.role_known(1, server_role::leader, at(12s));
    session_lease.answered(1, at(14s), at(15s), k_read);
    EXPECT_EQ(certain(session_lease), 10s);
}

TEST(lease, a_needs_the_role_to_be_known_when_the_write_was_sent) {
    auto session_lease = attached_lease();
    session_lease.role_known(1, server_role::leader, at(12s));
    session_lease.answered(1, at(12s - 1ns), at(13s), k_write);
    EXPECT_EQ(certain(session_lease), 10s);
}

TEST(lease, a_keeps_the_first_time_that_the_role_was_told) {
    auto session_lease = attached_lease();
    session_lease.role_known(1, server_role::leader, at(12s));
    session_lease.role_known(1, server_role::leader, at(15s));
    session_lease.answered(1, at(13s), at(16s), k_write);
    EXPECT_EQ(certain(session_lease), 13s);
}

TEST(lease, a_holds_for_no_other_role) {
    for (const auto role : {server_role::unknown, server_role::follower, server_role::observer,
                            server_role::read_only}) {
        auto session_lease = attached_lease();
        session_lease.role_known(1, role, at(12s));
        session_lease.answered(1, at(13s), at(14s), k_write);
        EXPECT_EQ(certain(session_lease), 10s);
    }
}

TEST(lease, a_takes_no_role_of_another_connection) {
    auto session_lease = attached_lease();
    session_lease.role_known(2, server_role::leader, at(12s));
    session_lease.answered(1, at(13s), at(14s), k_write);
    EXPECT_EQ(certain(session_lease), 10s);
}

TEST(lease, a_forgets_the_role_with_the_connection) {
    auto session_lease = attached_lease();
    session_lease.role_known(1, server_role::leader, at(12s));
    session_lease.attached(2, k_timeout, at(13s));
    session_lease.answered(2, at(13s), at(14s), k_write);
    EXPECT_EQ(certain(session_lease), 10s);
}

// ---- clause (b) in lease.hpp: a request that was answered long before the write -------------

TEST(lease, b_counts_from_a_request_that_was_answered_a_relay_bound_before_the_write) {
    auto session_lease = attached_lease();
    session_lease.answered(1, at(12s), at(13s), k_read);
    session_lease.answered(1, at(13s) + k_relay, at(26s), k_write);
    EXPECT_EQ(certain(session_lease), 12s);
}

TEST(lease, b_measures_the_relay_bound_from_the_answer_not_from_the_request) {
    auto session_lease = attached_lease();
    session_lease.answered(1, at(12s), at(13s), k_read);
    session_lease.answered(1, at(13s) + k_relay - 1ns, at(26s), k_write);
    EXPECT_EQ(certain(session_lease), 10s);
}

TEST(lease, b_measures_it_to_the_writes_request_not_to_its_answer) {
    auto session_lease = attached_lease();
    session_lease.answered(1, at(12s), at(13s), k_read);
    session_lease.answered(1, at(14s), at(14s) + 2 * k_relay, k_write);
    EXPECT_EQ(certain(session_lease), 10s);
}

TEST(lease, b_needs_a_write_however_late) {
    auto session_lease = attached_lease();
    session_lease.answered(1, at(12s), at(13s), k_read);
    session_lease.answered(1, at(39s), at(39s), k_read);
    EXPECT_EQ(certain(session_lease), 10s);
}

TEST(lease, b_takes_the_latest_request_that_is_old_enough) {
    auto session_lease = attached_lease();
    for (const auto sent : {12s, 14s, 16s, 18s})
        session_lease.answered(1, at(sent), at(sent + 1s), k_read);
    session_lease.answered(1, at(17s) + k_relay, at(30s), k_write);
    EXPECT_EQ(certain(session_lease), 16s);
    session_lease.answered(1, at(19s) + k_relay, at(32s), k_write);
    EXPECT_EQ(certain(session_lease), 18s);
}

TEST(lease, b_takes_earlier_writes_as_requests_too) {
    auto session_lease = attached_lease();
    session_lease.answered(1, at(12s), at(13s), k_write);
    session_lease.answered(1, at(25s), at(26s), k_write);
    EXPECT_EQ(certain(session_lease), 12s);
}

TEST(lease, b_does_not_take_a_write_as_proof_of_itself) {
    lease session_lease{lease_rule{0s, false, 0}};
    session_lease.opening(at(10s));
    session_lease.attached(1, k_timeout, at(11s));
    session_lease.answered(1, at(12s), at(13s), k_write);
    EXPECT_EQ(certain(session_lease), 10s);
}

// ---- clause (c) in lease.hpp: the lease from earlier connections ----------------------------

TEST(lease, c_keeps_what_an_earlier_connection_established) {
    auto session_lease = attached_lease();
    session_lease.role_known(1, server_role::leader, at(11s));
    session_lease.answered(1, at(20s), at(21s), k_write);
    session_lease.attached(2, k_timeout, at(22s));
    EXPECT_EQ(certain(session_lease), 20s);
    session_lease.answered(2, at(22s), at(23s), k_write);
    EXPECT_EQ(certain(session_lease), 20s);
}

// ---- clause (d) in lease.hpp: the latest answer before a reconnect --------------------------

TEST(lease, d_counts_from_the_latest_answer_before_the_attach_once_a_write_has_committed) {
    auto session_lease = attached_lease();
    session_lease.answered(1, at(15s), at(16s), k_read);
    session_lease.answered(1, at(18s), at(19s), k_read);
    session_lease.attached(2, k_timeout, at(20s));
    EXPECT_EQ(certain(session_lease), 10s);
    session_lease.answered(2, at(20s), at(21s), k_read);
    EXPECT_EQ(certain(session_lease), 10s) << "a read says nothing";
    session_lease.answered(2, at(22s), at(23s), k_write);
    EXPECT_EQ(certain(session_lease), 18s);
}

TEST(lease, d_does_not_come_with_the_first_attach) {
    auto session_lease = attached_lease();
    session_lease.answered(1, at(15s), at(16s), k_read);
    session_lease.answered(1, at(16s), at(17s), k_write);
    EXPECT_EQ(certain(session_lease), 10s);
}

TEST(lease, d_reaches_back_over_connections_on_which_nothing_committed) {
    auto session_lease = attached_lease();
    session_lease.answered(1, at(15s), at(16s), k_read);
    session_lease.attached(2, k_timeout, at(17s));
    session_lease.attached(3, k_timeout, at(18s));
    session_lease.answered(3, at(22s), at(23s), k_write);
    EXPECT_EQ(certain(session_lease), 15s);
}

TEST(lease, takes_no_answer_of_another_connection) {
    auto session_lease = attached_lease();
    session_lease.answered(1, at(15s), at(16s), k_read);
    session_lease.attached(2, k_timeout, at(17s));
    session_lease.answered(1, at(18s), at(19s), k_write);
    EXPECT_EQ(certain(session_lease), 10s) << "its commit does not count";
    session_lease.answered(2, at(20s), at(21s), k_write);
    EXPECT_EQ(certain(session_lease), 15s) << "and neither does its time";
}

// ---- limits and clocks ----------------------------------------------------------------------

TEST(lease, never_moves_back) {
    auto session_lease = attached_lease();
    session_lease.answered(1, at(11s), at(11s), k_read);
    session_lease.role_known(1, server_role::leader, at(11s));
    session_lease.answered(1, at(30s), at(31s), k_write);
    session_lease.answered(1, at(25s), at(32s), k_write);
    EXPECT_EQ(certain(session_lease), 30s);
    EXPECT_EQ(session_lease.rests_on(), evidence::direct);
}

TEST(lease, takes_the_smallest_timeout_of_the_session) {
    auto session_lease = attached_lease();
    session_lease.attached(2, 20s, at(12s));
    EXPECT_EQ(session_lease.valid_until(), at(30s));
    session_lease.attached(3, k_timeout, at(13s));
    EXPECT_EQ(session_lease.timeout(), 20s);
    EXPECT_EQ(session_lease.valid_until(), at(30s));
}

TEST(lease, starts_anew_with_a_new_session) {
    auto session_lease = attached_lease();
    session_lease.role_known(1, server_role::leader, at(12s));
    session_lease.answered(1, at(13s), at(14s), k_write);
    session_lease.attached(2, 20s, at(15s));
    session_lease.opening(at(50s));
    EXPECT_EQ(session_lease.valid_until(), time_point::min());
    session_lease.attached(1, k_timeout, at(51s));
    EXPECT_EQ(session_lease.valid_until(), at(80s));
    session_lease.answered(1, at(52s), at(53s), k_write);
    EXPECT_EQ(certain(session_lease), 50s) << "neither the old role nor the old answers count";
}

TEST(lease, ends_earlier_by_the_drift) {
    const auto session_lease = attached_lease({k_relay, false, 0.001});
    EXPECT_EQ(session_lease.valid_until(), at(10s) + k_timeout - 30ms);
}

// The client's clock may be fast by a tenth, so ten of its seconds may be only nine seconds at the servers.
TEST(lease, b_measures_the_relay_bound_by_a_clock_that_may_be_fast) {
    auto session_lease = attached_lease({10s, true, 0.1});
    session_lease.answered(1, at(12s), at(13s), k_read);
    session_lease.answered(1, at(23s), at(24s), k_write);
    EXPECT_EQ(session_lease.valid_until(), at(10s) + k_timeout - 3s);
    EXPECT_EQ(session_lease.next_useful_write(), at(24s));
    session_lease.answered(1, at(24s), at(25s), k_write);
    EXPECT_EQ(session_lease.valid_until(), at(12s) + k_timeout - 3s);
}

TEST(lease, tells_what_it_rests_on) {
    auto proven = attached_lease();
    EXPECT_EQ(proven.rests_on(), evidence::relayed);
    auto guessed = attached_lease({k_relay, true, 0});
    EXPECT_EQ(guessed.rests_on(), evidence::assumed);
    guessed.role_known(1, server_role::standalone, at(11s));
    EXPECT_EQ(guessed.rests_on(), evidence::assumed) << "nothing has committed yet";
    guessed.answered(1, at(12s), at(13s), k_write);
    EXPECT_EQ(guessed.rests_on(), evidence::direct);
    guessed.answered(1, at(13s), at(14s), k_read);
    guessed.attached(2, k_timeout, at(15s));
    guessed.answered(2, at(15s), at(16s), k_write);
    EXPECT_EQ(guessed.rests_on(), evidence::assumed);
}

// ---- the time of the next write that can extend the lease -----------------------------------

TEST(lease, knows_of_no_useful_write_without_an_answer) {
    EXPECT_EQ(attached_lease().next_useful_write(), std::nullopt);
}

TEST(lease, finds_a_write_useful_when_an_answer_is_old_enough) {
    auto session_lease = attached_lease();
    session_lease.answered(1, at(12s), at(13s), k_read);
    session_lease.answered(1, at(15s), at(16s), k_read);
    EXPECT_EQ(session_lease.next_useful_write(), at(13s) + k_relay);
    session_lease.answered(1, at(13s) + k_relay, at(26s), k_write);
    EXPECT_EQ(session_lease.next_useful_write(), at(16s) + k_relay);
}

TEST(lease, finds_a_write_useful_at_once_where_it_touches_directly) {
    auto session_lease = attached_lease();
    session_lease.role_known(1, server_role::leader, at(12s));
    EXPECT_EQ(session_lease.next_useful_write(), at(12s));
}

TEST(lease, finds_a_write_useful_at_once_after_attaching_again) {
    auto session_lease = attached_lease();
    session_lease.answered(1, at(12s), at(13s), k_read);
    session_lease.attached(2, k_timeout, at(14s));
    EXPECT_EQ(session_lease.next_useful_write(), time_point::min());
    session_lease.answered(2, at(14s), at(15s), k_write);
    EXPECT_EQ(session_lease.next_useful_write(), at(15s) + k_relay)
        << "now only the write's own answer is new";
}

// An idle session may send keep-alives for months without a write.
TEST(lease, remembers_only_answers_that_can_still_matter) {
    auto session_lease = attached_lease();
    time_point now = at(11s);
    for (int i = 0; i != 100'000; ++i) {
        now += 9s;
        session_lease.answered(1, now, now, k_read);
    }
    EXPECT_GE(session_lease.next_useful_write(), now - 2 * 9s);
    auto last = session_lease;
    last.answered(1, now, now, k_write);
    EXPECT_EQ(certain(last), now - 18s - at(0s)) << "nothing is lost by it";
}

}  // namespace
}  // namespace turnstile::core
