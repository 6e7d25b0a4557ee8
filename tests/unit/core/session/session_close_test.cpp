// SPDX-License-Identifier: Apache-2.0
// Tests that closing a client ends every call. The client removes its znodes before it closes the session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using state = session_state;

class session_close : public test::session_fixture {
protected:
    void end() { on(core::close{}); }
};

TEST_F(session_close, revokes_holds_and_waits_and_removes_their_znodes) {
    start_attached();
    take_lock(k_ann);
    acquire(k_bob);
    answer_create_and_list(5, {stranger(4)});
    answer_all_ok();
    on(read{k_question, exists_op{"/q"}, now + 1h});
    open.clear();
    end();
    EXPECT_EQ(why<lost>(k_ann), errc::closed);
    EXPECT_EQ(why<failed>(k_bob), errc::closed);
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(std::get<error>(answers[0].outcome), errc::closed);
    EXPECT_THAT(states(), ElementsAre(state::closed));
    EXPECT_EQ(count<remove_op>(), 2U);
    EXPECT_FALSE(session.idle());
    answer_all_ok();
    EXPECT_EQ(told<gone>(k_ann), 1U);
    EXPECT_EQ(told<gone>(k_bob), 1U);
    EXPECT_TRUE(session.idle());
    EXPECT_EQ(session.owned_bytes(), 0U);
    EXPECT_EQ(session.watched_paths(), 0U);
    EXPECT_EQ(session.next_deadline(), std::nullopt) << "not even a keep-alive";
}

// Failure F21: an acquire on a closed client must not hang.
TEST_F(session_close, fails_what_comes_after_it) {
    start_attached();
    end();
    acquire(k_ann);
    EXPECT_EQ(why<failed>(k_ann), errc::closed);
    EXPECT_EQ(told<gone>(k_ann), 1U);
    on(read{k_question, exists_op{"/q"}, {}});
    EXPECT_EQ(std::get<error>(answers.at(0).outcome), errc::closed);
    EXPECT_THAT(open, IsEmpty());
    EXPECT_TRUE(session.idle());
}

TEST_F(session_close, is_over_at_once_where_no_session_was_opened) {
    acquire(k_ann);
    end();
    EXPECT_EQ(why<failed>(k_ann), errc::closed);
    EXPECT_TRUE(session.idle());
    EXPECT_EQ(session.state(), state::closed);
}

TEST_F(session_close, is_over_at_once_while_still_connecting) {
    start();
    acquire(k_ann);
    end();
    EXPECT_EQ(told<gone>(k_ann), 1U);
    EXPECT_TRUE(session.idle());
}

TEST_F(session_close, between_two_epochs_opens_no_further_session) {
    start_attached();
    expire();
    acquire(k_ann);
    end();
    EXPECT_EQ(told<gone>(k_ann), 1U);
    pass(1h);
    EXPECT_THAT(opened, ElementsAre(1U));
}

TEST_F(session_close, goes_on_over_a_broken_connection) {
    start_attached();
    take_lock(k_ann);
    end();
    detach();
    EXPECT_FALSE(session.idle());
    attach();
    EXPECT_EQ(session.state(), state::closed);
    EXPECT_EQ(count<remove_op>(), 1U);
    answer_all_ok();
    EXPECT_TRUE(session.idle());
    EXPECT_THAT(states(), ElementsAre(state::closed));
}

// The servers have received no message of the session for its timeout. So they delete the session with its znodes.
TEST_F(session_close, is_over_at_once_where_the_session_has_ended_at_the_servers) {
    start_attached();
    take_lock(k_ann);
    detach();
    pass(k_timeout);
    ASSERT_EQ(told<lost>(k_ann), 1U);
    on(core::leave{k_ann});
    ASSERT_FALSE(session.idle()) << "it waits for a server that takes the session back";
    end();
    EXPECT_TRUE(session.idle());
    EXPECT_EQ(told<gone>(k_ann), 1U);
    attach();
    EXPECT_THAT(open, IsEmpty()) << "a late event asks for nothing";
}

TEST_F(session_close, is_over_when_the_session_ends_while_no_server_is_there) {
    start_attached();
    take_lock(k_ann);
    detach();
    end();
    EXPECT_FALSE(session.idle());
    pass(k_timeout);
    EXPECT_TRUE(session.idle());
    EXPECT_EQ(told<gone>(k_ann), 1U);
}

TEST_F(session_close, is_over_when_the_session_ends) {
    start_attached();
    take_lock(k_ann);
    end();
    expire();
    EXPECT_EQ(told<gone>(k_ann), 1U);
    EXPECT_EQ(told<lost>(k_ann), 1U);
    EXPECT_TRUE(session.idle());
    pass(1h);
    EXPECT_THAT(opened, ElementsAre(1U));
    EXPECT_THAT(states(), ElementsAre(state::closed));
}

TEST_F(session_close, leaves_nobody_behind_when_the_handle_is_closed) {
    start_attached();
    take_lock(k_ann);
    acquire(k_bob);  // this contender's create is in progress
    end();
    EXPECT_FALSE(session.idle());
    on(session_closed{});
    EXPECT_EQ(told<gone>(k_ann), 1U);
    EXPECT_EQ(told<gone>(k_bob), 1U);
    EXPECT_TRUE(session.idle());
    EXPECT_EQ(session.owned_bytes(), 0U);
    answer_all_ok();
    EXPECT_THAT(open, IsEmpty()) << "a late answer asks for nothing";
}

TEST_F(session_close, twice_is_closing_once) {
    start_attached();
    take_lock(k_ann);
    end();
    const auto before = session;
    end();
    EXPECT_EQ(session, before);
    EXPECT_EQ(told<lost>(k_ann), 1U);
}

TEST_F(session_close, is_the_last_state_also_after_refused_credentials) {
    start_attached();
    on_event(link(link_kind::auth_failed));
    end();
    EXPECT_THAT(states(), ElementsAre(state::auth_failed, state::closed));
}

TEST_F(session_close, does_not_end_at_the_lease) {
    start_attached();
    take_lock(k_ann);
    end();
    pass(10 * k_timeout);
    EXPECT_EQ(session.state(), state::closed);
    EXPECT_EQ(told<lost>(k_ann), 1U);
}

}  // namespace
}  // namespace turnstile::core
