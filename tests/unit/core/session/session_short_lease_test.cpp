// SPDX-License-Identifier: Apache-2.0
// Tests a session timeout that is too short for a lease that is renewed through a follower. Each caller gets an error,
// and no contender blocks the queue (promise G7, failure F46).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using test::at;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class session_short_lease : public test::session_fixture {
protected:
    // A session timeout that is shorter than the 12 s within which the leader learns of a follower's answer.
    static constexpr duration k_short = 10s;

    void start_short(server_role role, duration timeout = k_short) {
        start();
        attach(role, timeout);
        log.clear();
        changes.clear();
    }
};

TEST_F(session_short_lease, is_warned_of_as_soon_as_the_role_is_known) {
    start_short(server_role::unknown);
    EXPECT_THAT(warnings, IsEmpty());
    on_event(link(link_kind::role_known, server_role::follower));
    ASSERT_THAT(warnings, SizeIs(1));
    EXPECT_THAT(warnings[0], AllOf(HasSubstr("10 s"), HasSubstr("12 s"), HasSubstr("zk:2181"),
                                   HasSubstr("longer than 12 s")));
    detach();
    attach(server_role::follower, k_short);
    EXPECT_THAT(warnings, SizeIs(1)) << "once in a session";
    expire();
    pass(50ms);
    attach(server_role::follower, k_short);
    EXPECT_THAT(warnings, SizeIs(2));
}

TEST_F(session_short_lease, that_can_be_had_but_not_kept_is_warned_of) {
    start_short(server_role::follower, 19s);
    ASSERT_THAT(warnings, SizeIs(1));
    EXPECT_THAT(warnings[0], HasSubstr("5/3"));
}

TEST_F(session_short_lease, is_no_matter_at_the_leader_or_if_it_is_ample) {
    start_short(server_role::leader);
    detach();
    attach(server_role::follower, 20s);
    EXPECT_THAT(warnings, SizeIs(1)) << "the smallest timeout of a session counts";
    expire();
    pass(50ms);
    warnings.clear();
    attach(server_role::follower, 20s);
    EXPECT_THAT(warnings, IsEmpty());
    detach();
    attach(server_role::standalone, 20s);
    EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(session_short_lease, grants_while_the_session_is_young) {
    start_short(server_role::follower);
    take_lock(k_ann);
    EXPECT_EQ(told<failed>(k_ann), 0U);
    pass_answered(k_short);
    EXPECT_EQ(why<lost>(k_ann), errc::session_lost);
}

TEST_F(session_short_lease, puts_no_znode_where_no_hold_is_possible) {
    start_short(server_role::follower);
    pass_answered(2 * k_short);
    acquire(k_ann);
    ASSERT_EQ(told<failed>(k_ann), 1U);
    EXPECT_EQ(why<failed>(k_ann), errc::lease_too_short);
    EXPECT_THAT(open, IsEmpty());
    EXPECT_TRUE(session.idle());
}

TEST_F(session_short_lease, fails_a_waiter_that_is_in_line_only_when_it_is_first) {
    start_short(server_role::follower);
    acquire(k_ann);
    const auto znode = answer_create_and_list(5, {stranger(4)});
    answer_all_ok();
    pass_answered(k_short);
    EXPECT_EQ(told<failed>(k_ann), 0U);
    watch_fires(watch_kind::deleted, "/q/" + stranger(4));
    EXPECT_EQ(why<failed>(k_ann), errc::lease_too_short);
}

// The server's role is unknown, so the server may be the leader.
TEST_F(session_short_lease, is_given_one_timeout_to_learn_the_role) {
    start_short(server_role::unknown);
    detach();
    pass(k_short - 1s);
    attach(server_role::unknown, k_short);
    pass_answered(2s);
    acquire(k_ann);
    answer_create_and_list(0);
    EXPECT_EQ(told<granted>(k_ann), 0U);
    pass_answered(k_short - 2s - 1ns);
    EXPECT_EQ(told<failed>(k_ann), 0U);
    pass(1ns);
    EXPECT_EQ(why<failed>(k_ann), errc::lease_too_short);
    EXPECT_THAT(warnings, SizeIs(1));
}

TEST_F(session_short_lease, of_a_server_that_turns_out_to_lead_is_granted) {
    start_short(server_role::unknown);
    pass_answered(k_short - 1s);
    detach();
    attach(server_role::unknown, k_short);
    pass_answered(2s);
    on_event(link(link_kind::role_known, server_role::leader));
    pass_answered(2s);
    acquire(k_ann);
    answer_create_and_list(0);
    EXPECT_EQ(told<granted>(k_ann), 1U);
    EXPECT_THAT(warnings, IsEmpty());
}

// The reconnect extended the session at the leader. So the next committed write extends the lease, although reads
// through this follower would not (clause d of lease.hpp).
TEST_F(session_short_lease, is_good_for_a_while_after_a_re_attach) {
    start_short(server_role::follower);
    pass_answered(k_short - 1s);
    detach();
    pass(500ms);
    attach(server_role::follower, k_short);
    pass_answered(1s);
    acquire(k_ann);
    answer_create_and_list(0);
    EXPECT_EQ(told<granted>(k_ann), 1U);
    EXPECT_EQ(told<failed>(k_ann), 0U);
}

// ---- the interval of the requests that extend the lease (confirmations) ---------------------

class session_short_lease_confirmed_seldom : public test::session_fixture {
protected:
    static session_core_settings seldom() {
        auto result = settings();
        result.confirm_every = 20s;
        return result;
    }
    session_short_lease_confirmed_seldom() : session_fixture{seldom()} {}
};

// The client compared confirm_every with the requested session timeout. The servers may grant a shorter timeout.
TEST_F(session_short_lease_confirmed_seldom, is_confirmed_as_its_timeout_needs_it) {
    start();
    attach(server_role::standalone, 10s);
    take_lock(k_ann);
    pass(2s);
    EXPECT_EQ(count<multi_op>(), 1U) << "a fifth";
    answer_all_ok();
    pass_answered(1min);
    EXPECT_EQ(told<lost>(k_ann), 0U);
}

}  // namespace
}  // namespace turnstile::core
