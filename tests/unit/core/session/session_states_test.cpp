// SPDX-License-Identifier: Apache-2.0
// Tests a session's states and epochs, and the link events that change them. An epoch is the life of one session at the
// servers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using state = session_state;
using how = close_session::how;

class session_states : public test::session_fixture {};

TEST_F(session_states, begin_with_connecting) {
    EXPECT_EQ(session.state(), state::connecting);
    EXPECT_EQ(session.next_deadline(), std::nullopt);
    start();
    EXPECT_THAT(opened, ElementsAre(1U));
    EXPECT_EQ(session.state(), state::connecting);
    EXPECT_THAT(changes, IsEmpty());
}

TEST_F(session_states, say_connected_when_attached) {
    start();
    attach(server_role::leader);
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].step.from, state::connecting);
    EXPECT_EQ(changes[0].step.to, state::connected);
    EXPECT_EQ(changes[0].step.epoch, 1U);
    EXPECT_EQ(session.session_id(), k_session);
    EXPECT_EQ(session.role(), server_role::leader);
    EXPECT_EQ(session.server(), "zk:2181");
    EXPECT_EQ(session.session_lease().valid_until(), test::at(k_timeout));
}

TEST_F(session_states, say_suspended_while_the_connection_is_gone) {
    start_attached();
    detach();
    EXPECT_EQ(session.state(), state::suspended);
    EXPECT_EQ(session.server(), "");
    EXPECT_EQ(session.role(), server_role::unknown);
    attach();
    EXPECT_THAT(states(), ElementsAre(state::suspended, state::connected));
    EXPECT_EQ(epoch(), 1U);
    EXPECT_THAT(closed, IsEmpty());
}

TEST_F(session_states, take_a_role_that_is_told_later) {
    start_attached(server_role::unknown);
    on_event(link(link_kind::role_known, server_role::follower));
    EXPECT_EQ(session.role(), server_role::follower);
    ++connection;
    on_event(link(link_kind::role_known, server_role::leader));
    EXPECT_EQ(session.role(), server_role::follower) << "that is another connection's";
    EXPECT_THAT(changes, IsEmpty());
}

// ---- the state `lost` -----------------------------------------------------------------------

// Without a hold, the session counts as lost when the session timeout has passed since the last answer.
TEST_F(session_states, say_lost_when_the_servers_may_have_expired_the_session) {
    start_attached();
    pass(5s);
    detach();
    pass_until(test::at(k_timeout - 1ns));
    EXPECT_EQ(session.state(), state::suspended);
    pass_until(test::at(k_timeout));
    EXPECT_EQ(session.state(), state::lost);
    EXPECT_EQ(epoch(), 1U) << "it may yet be closed in order";
}

// Failure F9: the session must report `lost` before any later state, even if it learns of several changes at once.
TEST_F(session_states, say_lost_before_connecting) {
    start_attached();
    detach();
    now += 2 * k_timeout;  // the process is stopped, so no timer runs
    attach();
    EXPECT_THAT(states(), ElementsAre(state::suspended, state::lost, state::connecting));
}

// ---- expiry ---------------------------------------------------------------------------------

TEST_F(session_states, go_through_lost_and_connecting_into_the_next_epoch) {
    start_attached();
    detach();
    expire();
    EXPECT_THAT(states(), ElementsAre(state::suspended, state::lost, state::connecting));
    EXPECT_EQ(changes[1].step.epoch, 1U);
    EXPECT_THAT(closed, ElementsAre(how::abandon));
    EXPECT_EQ(session.session_id(), 0);
    EXPECT_THAT(opened, ElementsAre(1U)) << "after a pause";
    ASSERT_TRUE(session.next_deadline());
    EXPECT_LE(*session.next_deadline(), now + 50ms);
    pass(50ms);
    EXPECT_THAT(opened, ElementsAre(1U, 2U));
    attach();
    EXPECT_EQ(session.state(), state::connected);
    EXPECT_EQ(changes.back().step.epoch, 2U);
    EXPECT_EQ(session.session_id(), k_session + 1);
}

// Failure F27: the server reports no expiry, but the session has a new id.
TEST_F(session_states, notice_another_session_id_at_a_reconnect) {
    start_attached();
    acquire(k_ann);
    answer_create_and_list(0);
    detach();
    session_id += 1;
    attach();
    EXPECT_THAT(states(), ElementsAre(state::suspended, state::lost, state::connecting));
    EXPECT_THAT(closed, ElementsAre(how::orderly)) << "that session is alive, and nobody's";
    EXPECT_EQ(why<lost>(k_ann), errc::session_lost);
    EXPECT_EQ(told<gone>(k_ann), 1U);
    EXPECT_TRUE(session.idle());
}

TEST_F(session_states, wait_longer_between_attempts_that_fail) {
    start();
    duration longest{};
    for (int i = 0; i != 20; ++i) {
        on(open_failed{epoch(), error{errc::not_connected}});
        ASSERT_TRUE(session.next_deadline());
        longest = std::max(longest, *session.next_deadline() - now);
        pass_until(*session.next_deadline());
    }
    EXPECT_EQ(opened.size(), 21U);
    EXPECT_GT(longest, 2500ms - 1ns);
    EXPECT_LE(longest, 5s);
    EXPECT_THAT(changes, IsEmpty());
    attach();
    expire();
    EXPECT_LE(*session.next_deadline(), now + 50ms) << "an attach starts the pauses again";
}

TEST_F(session_states, a_machine_that_stood_still_is_certain_of_nothing) {
    start_attached();
    on(clock_stepped{5s});
    EXPECT_THAT(states(), ElementsAre(state::lost, state::connecting));
    EXPECT_THAT(closed, ElementsAre(how::orderly));
    const auto before = session;
    on(clock_stepped{5s});
    EXPECT_EQ(session, before) << "no session is there";
}

TEST_F(session_states, take_no_failure_of_an_earlier_epoch) {
    start();
    on(open_failed{epoch() - 1, error{errc::not_connected}});
    EXPECT_EQ(session.next_deadline(), std::nullopt);
}

// Failure F2: an event of an earlier epoch (the life of an earlier session) must have no effect.
TEST_F(session_states, take_no_event_of_an_earlier_epoch) {
    start_attached();
    expire();
    pass(50ms);
    attach();
    const auto before = session;
    on(from_session{1, link(link_kind::detached)});
    on(from_session{1, link(link_kind::expired)});
    on(from_session{1, watch_event{watch_kind::deleted, "/q/x", 1}});
    reply late;
    late.id = ticket{1};
    late.outcome = outcome::answered;
    on(from_session{1, late});
    on(from_session{3, link(link_kind::expired)});
    EXPECT_EQ(session, before);
}

TEST_F(session_states, take_no_event_of_a_session_that_is_over) {
    start_attached();
    expire();
    on(from_session{1, link(link_kind::attached)});
    EXPECT_EQ(session.state(), state::connecting);
}

// ---- the order of states and notices (failure F9) -------------------------------------------

TEST_F(session_states, tell_holders_between_lost_and_connecting) {
    start_attached();
    take_lock(k_ann);
    log.clear();
    expire();
    std::vector<std::string> order;
    for (const auto& entry : log) {
        if (const auto* step = std::get_if<changed>(&entry)) {
            order.emplace_back(to_string(step->step.to));
        } else if (const auto* notice_of = std::get_if<notice>(&entry)) {
            order.emplace_back(std::holds_alternative<lost>(notice_of->event) ? "told" : "gone");
        }
    }
    EXPECT_THAT(order, ElementsAre("lost", "told", "gone", "connecting"));
}

// The session remembers the ids of its client's earlier sessions. deadlock_detector needs these ids, because the
// servers may keep the znodes of an earlier session for a while.
TEST_F(session_states, remember_the_sessions_before_this_one) {
    start_attached();
    const auto first = session.session_id();
    EXPECT_FALSE(session.has_left(first));
    EXPECT_FALSE(session.has_left(0));
    expire();
    EXPECT_TRUE(session.has_left(first));
    EXPECT_FALSE(session.has_left(0));
    for (int i = 0; i != 20; ++i) {
        pass(k_timeout);
        attach();
        EXPECT_TRUE(session.has_left(first) == (i < 16)) << i;
        expire();
    }
}

// ---- servers without a majority (read-only) -------------------------------------------------

TEST_F(session_states, say_read_only_on_a_server_without_a_majority) {
    start_attached();
    take_lock(k_ann);
    detach();
    ++connection;
    on_event(link(link_kind::attached_read_only));
    EXPECT_EQ(session.state(), state::read_only);
    EXPECT_EQ(session.role(), server_role::read_only);
    EXPECT_EQ(told<at_risk>(k_ann), 1U);
    EXPECT_THAT(open, IsEmpty()) << "as while suspended";
    pass(k_timeout);
    EXPECT_EQ(session.state(), state::lost);
    attach();
    EXPECT_EQ(session.state(), state::connecting);
}

// The connection changed during a read. The new server has no majority, so its answer does not prove that the session
// exists.
TEST_F(session_states, go_on_after_an_answer_of_a_server_without_a_majority) {
    start_attached();
    take_lock(k_ann);
    const auto certain = session.session_lease().valid_until();
    on(read{k_further_question, get_op{"/q"}, {}});
    auto late = reply_to<get_op>();
    detach();
    ++connection;
    on_event(link(link_kind::attached_read_only));
    late.outcome = outcome::answered;
    late.connection = connection;
    on_event(std::move(late));
    EXPECT_EQ(session.state(), state::read_only);
    EXPECT_EQ(session.session_lease().valid_until(), certain);
}

TEST_F(session_states, say_read_only_also_of_the_first_server) {
    start();
    ++connection;
    on_event(link(link_kind::attached_read_only));
    pass(10 * k_timeout);
    EXPECT_THAT(states(), ElementsAre(state::read_only)) << "there was nothing to lose";
    attach();  // the lease has ended before this reconnect
    pass(50ms);
    attach();
    EXPECT_THAT(states(), ElementsAre(state::read_only, state::connecting, state::connected));
}

// ---- refused credentials --------------------------------------------------------------------

TEST_F(session_states, end_with_refused_credentials) {
    start_attached();
    take_lock(k_ann);
    acquire(k_bob);
    on(read{k_question, exists_op{"/q"}, now + 1h});
    on_event(link(link_kind::auth_failed));
    EXPECT_THAT(states(), ElementsAre(state::auth_failed));
    EXPECT_EQ(why<lost>(k_ann), errc::auth_failed);
    EXPECT_EQ(why<failed>(k_bob), errc::auth_failed);
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(std::get<error>(answers[0].outcome), errc::auth_failed);
    EXPECT_THAT(closed, ElementsAre(how::abandon));
    EXPECT_TRUE(session.idle());
    EXPECT_EQ(session.next_deadline(), std::nullopt) << "no new session is tried";

    acquire(core::contender_id{9});
    EXPECT_EQ(why<failed>(core::contender_id{9}), errc::auth_failed);
    EXPECT_EQ(told<gone>(core::contender_id{9}), 1U);
    on(read{core::inquiry_id{10}, exists_op{"/q"}, {}});
    EXPECT_EQ(std::get<error>(answers[1].outcome), errc::auth_failed);
}

TEST_F(session_states, are_a_value) {
    start_attached();
    take_lock(k_ann);
    auto copy = session;
    EXPECT_EQ(copy, session);
    copy.on(core::leave{k_ann}, now);
    EXPECT_NE(copy, session);
}

}  // namespace
}  // namespace turnstile::core
