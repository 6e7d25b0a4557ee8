// SPDX-License-Identifier: Apache-2.0
// Tests at which server a session stays, and when its contenders may enter (server_placement.hpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class placed_session : public test::session_fixture {
protected:
    // A session timeout that is shorter than the 12 s within which the leader learns of a follower's answer.
    static constexpr duration k_short = 10s;

    static session_core_settings placed(placement where) {
        auto terms = settings();
        terms.place = where;
        terms.relay = relay_terms{{}, 0, {}, 30s};
        return terms;
    }
    explicit placed_session(session_core_settings how) : session_fixture{std::move(how)} {}

    void start_at(server_role role, duration timeout = k_short) {
        start();
        attach(role, timeout);
    }
    void learn(server_role role, std::optional<server_pace> pace = {}) {
        auto told = link(link_kind::role_known, role, k_short);
        told.pace = pace;
        on_event(told);
    }
    void not_found() { on_event(link(link_kind::leader_not_found)); }
    void move(server_role to) {
        detach();
        attach(server_role::unknown, k_short);
        learn(to);
    }
};

class session_placement : public placed_session {
protected:
    session_placement() : placed_session{placed(placement::automatic)} {}
};

TEST_F(session_placement, moves_to_the_leader_before_a_contender_enters) {
    start_at(server_role::unknown);
    acquire(k_ann);
    EXPECT_THAT(open, IsEmpty());
    learn(server_role::follower);
    EXPECT_THAT(sought, ElementsAre(1));
    EXPECT_THAT(open, IsEmpty());
    detach();
    attach(server_role::unknown, k_short);
    EXPECT_THAT(open, IsEmpty()) << "it may lead no more";
    learn(server_role::leader);
    answer_create_and_list(0);
    EXPECT_EQ(told<granted>(k_ann), 1U);
    EXPECT_THAT(sought, SizeIs(1));
    EXPECT_THAT(warnings, IsEmpty());
    EXPECT_EQ(epoch(), 1U);
}

TEST_F(session_placement, keeps_a_hold_over_many_timeouts_there) {
    start_at(server_role::unknown);
    learn(server_role::follower);
    move(server_role::leader);
    pass_answered(2 * k_short);
    take_lock(k_ann);
    pass_answered(5 * k_short);
    EXPECT_EQ(told<lost>(k_ann), 0U);
    EXPECT_TRUE(session.session_lease().valid(now));
}

TEST_F(session_placement, stays_where_leases_last) {
    start_at(server_role::unknown, 30s);
    acquire(k_ann);
    answer_create_and_list(0);
    EXPECT_EQ(told<granted>(k_ann), 1U) << "nothing to wait for";
    learn(server_role::follower);
    EXPECT_THAT(sought, IsEmpty());
}

TEST_F(session_placement, goes_by_what_the_servers_tell_of_their_pace) {
    start_at(server_role::unknown);
    acquire(k_ann);
    EXPECT_THAT(open, IsEmpty());
    learn(server_role::follower, server_pace{500ms, 5});
    EXPECT_THAT(sought, IsEmpty()) << "10 s are ample for a bound of 3 s";
    answer_create_and_list(0);
    EXPECT_EQ(told<granted>(k_ann), 1U);
}

TEST_F(session_placement, goes_when_their_pace_is_slower_than_assumed) {
    start_at(server_role::unknown, 30s);
    learn(server_role::follower, server_pace{4s, 5});
    EXPECT_THAT(sought, ElementsAre(1));
}

TEST_F(session_placement, follows_the_leader_with_a_hold) {
    start_at(server_role::unknown);
    learn(server_role::leader);
    take_lock(k_ann);
    pass_answered(3s);
    detach();  // the server is no longer the leader
    attach(server_role::unknown, k_short);
    EXPECT_GT(count<multi_op>(), 0U) << "a hold is confirmed meanwhile";
    answer_all_ok();
    learn(server_role::follower);
    EXPECT_THAT(sought, ElementsAre(2));
    move(server_role::leader);
    pass_answered(5 * k_short);
    EXPECT_EQ(told<lost>(k_ann), 0U);
}

// Sessions that moved to the leader may move to followers as connections break, if leases through followers are long
// enough.
TEST_F(session_placement, stays_at_a_follower_that_it_comes_to_when_leases_last_there) {
    start_at(server_role::unknown);
    learn(server_role::follower, server_pace{2s, 5});
    move(server_role::leader);
    take_lock(k_ann);
    detach();
    attach(server_role::unknown, k_short);
    answer_all_ok();
    learn(server_role::follower, server_pace{500ms, 5});
    EXPECT_THAT(sought, SizeIs(1));
    pass_answered(5 * k_short);
    EXPECT_THAT(sought, SizeIs(1));
    EXPECT_EQ(told<lost>(k_ann), 0U);
}

TEST_F(session_placement, tries_again_where_the_role_was_old) {
    start_at(server_role::unknown);
    acquire(k_ann);
    learn(server_role::follower);
    move(server_role::follower);
    move(server_role::follower);
    EXPECT_THAT(sought, ElementsAre(1, 2, 3));
    EXPECT_THAT(open, IsEmpty());
    move(server_role::follower);
    EXPECT_THAT(sought, SizeIs(3)) << "no more often in a row";
    ASSERT_THAT(warnings, SizeIs(1));
    EXPECT_THAT(warnings[0], HasSubstr("does not accept the session"));
    EXPECT_EQ(count<create_op>(), 1U) << "the session is young: a short hold is possible";
}

TEST_F(session_placement, seeks_again_later_where_no_hold_is_possible) {
    start_at(server_role::unknown);
    learn(server_role::follower);
    not_found();
    ASSERT_THAT(warnings, SizeIs(1));
    EXPECT_THAT(warnings[0], AllOf(HasSubstr("leaderServes"), HasSubstr("zk:2181")));
    pass_answered(k_short - 1ns);
    EXPECT_THAT(sought, ElementsAre(1));
    pass_answered(1ns);
    EXPECT_THAT(sought, ElementsAre(1, 1));
    acquire(k_ann);
    EXPECT_THAT(open, IsEmpty());
    EXPECT_EQ(told<failed>(k_ann), 0U) << "it may work now";
    not_found();
    EXPECT_EQ(why<failed>(k_ann), errc::lease_too_short);
    EXPECT_THAT(warnings, SizeIs(1)) << "once in a session";
}

TEST_F(session_placement, goes_by_the_rule_of_any_server_where_no_role_is_told) {
    start_at(server_role::unknown);
    pass_answered(2s);
    acquire(k_ann);
    learn(server_role::unknown);
    EXPECT_THAT(sought, IsEmpty());
    answer_create_and_list(0);
    EXPECT_EQ(told<granted>(k_ann), 1U) << "the session is young";
    ASSERT_THAT(warnings, SizeIs(1));
    EXPECT_THAT(warnings[0], AllOf(HasSubstr("srvr"), Not(HasSubstr("leaderServes"))));
    pass_answered(k_short);
    acquire(k_bob);
    EXPECT_EQ(why<failed>(k_bob), errc::lease_too_short);
}

TEST_F(session_placement, lets_in_after_a_timeout_where_nothing_is_told) {
    start_at(server_role::unknown, 20s);
    acquire(k_ann);
    pass_answered(20s - 1ns);
    EXPECT_EQ(count<create_op>(), 0U);
    pass(1ns);
    EXPECT_EQ(count<create_op>(), 1U);
}

// The client searches for the leader for one session timeout. If it finds none, its contenders enter anyway.
TEST_F(session_placement, lets_in_after_a_timeout_where_the_leader_is_sought_in_vain) {
    start_at(server_role::unknown, 20s);
    acquire(k_ann);
    learn(server_role::follower);
    pass_answered(20s - 1ns);
    EXPECT_EQ(count<create_op>(), 0U);
    pass(1ns);
    EXPECT_EQ(count<create_op>(), 1U);
}

// The process was stopped and has not read the servers' messages yet. So the time of the stop does not count as
// waiting.
TEST_F(session_placement, takes_up_after_a_stop_what_it_waited_for) {
    start_at(server_role::unknown);
    acquire(k_ann);
    stand_still(3 * k_short);
    EXPECT_EQ(told<failed>(k_ann), 0U);
    EXPECT_EQ(count<create_op>(), 0U);
    learn(server_role::leader);
    pass(1ns);
    EXPECT_EQ(told<failed>(k_ann), 0U);
    EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(session_placement, gives_up_a_whole_timeout_after_a_stop) {
    start_at(server_role::unknown);
    acquire(k_ann);
    stand_still(3 * k_short);
    pass_answered(k_short - 1ns);
    EXPECT_EQ(told<failed>(k_ann), 0U);
    pass(1ns);
    EXPECT_EQ(why<failed>(k_ann), errc::lease_too_short);
}

// The process has just resumed, and its server reports no role. The session's lease ends in less than a session
// timeout.
class woken_session : public session_placement {
protected:
    void attach_as_it_wakes() {
        stand_still(k_short * 6 / 10);
        attach(server_role::unknown, k_short);
        learn(server_role::unknown);
        awake_ = now;
        pass_answered(k_short / 2);
        ASSERT_FALSE(session.session_lease().valid(now));
    }
    void expect_patience() {
        acquire(k_ann);
        answer_create_and_list(0);
        pass_answered(awake_ + k_short - 1ns - now);
        EXPECT_EQ(told<granted>(k_ann), 0U);
        EXPECT_EQ(told<failed>(k_ann), 0U);
        pass(1ns);
        EXPECT_EQ(why<failed>(k_ann), errc::lease_too_short);
    }

private:
    time_point awake_{};
};

// After the process resumes, its acquire must not fail before a whole session timeout has passed. In a simulated
// election (seed 40012360), an acquire once failed after 0.87 session timeouts.
TEST_F(woken_session, without_a_server_gives_up_a_whole_timeout_later) {
    start_at(server_role::unknown);
    detach();
    attach_as_it_wakes();
    expect_patience();
}

TEST_F(woken_session, that_had_begun_to_open_gives_up_a_whole_timeout_later) {
    start();
    attach_as_it_wakes();
    expect_patience();
}

TEST_F(session_placement, answer_of_an_earlier_connection_says_nothing) {
    start_at(server_role::unknown);
    acquire(k_ann);
    learn(server_role::follower);
    const auto late = link(link_kind::leader_not_found);
    detach();
    attach(server_role::unknown, k_short);
    on_event(late);
    EXPECT_THAT(open, IsEmpty());
    EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(session_placement, waiter_at_the_door_is_cancelled_without_a_request) {
    start_at(server_role::unknown);
    acquire(k_ann, 1s);
    pass(1s);
    EXPECT_EQ(why<failed>(k_ann), errc::timeout);
    EXPECT_TRUE(session.idle());
}

// ---- settings of `placement` other than `automatic` -----------------------------------------

class session_at_the_leader : public placed_session {
protected:
    session_at_the_leader() : placed_session{placed(placement::at_the_leader)} {}
};

TEST_F(session_at_the_leader, goes_there_with_any_timeout_and_enters_meanwhile_with_a_long_one) {
    start_at(server_role::unknown, 30s);
    acquire(k_ann);
    EXPECT_EQ(count<create_op>(), 1U);
    learn(server_role::follower);
    EXPECT_THAT(sought, ElementsAre(1));
}

class session_with_untrusted_roles : public placed_session {
protected:
    static session_core_settings untrusted() {
        auto terms = placed(placement::at_the_leader);
        terms.roles_trusted = false;
        return terms;
    }
    session_with_untrusted_roles() : placed_session{untrusted()} {}
};

TEST_F(session_with_untrusted_roles, goes_by_them_and_rests_no_lease_on_them) {
    start_at(server_role::unknown);
    learn(server_role::follower);
    EXPECT_THAT(sought, ElementsAre(1));
    move(server_role::leader);
    EXPECT_EQ(session.role(), server_role::unknown);
    EXPECT_FALSE(session.session_lease().is_direct());
    pass_answered(3 * k_short);
    EXPECT_THAT(sought, SizeIs(1)) << "it is there";
}

}  // namespace
}  // namespace turnstile::core
