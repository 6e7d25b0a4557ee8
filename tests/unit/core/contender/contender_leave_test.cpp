// SPDX-License-Identifier: Apache-2.0
// Tests how a contender leaves from each of its states. It must leave no znode and no watch behind (failures F6, F7,
// F17, F24, F29, F35).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/contender_fixture.hpp"

namespace turnstile::core {
namespace {

using test::k_timed_out;
using ::testing::IsEmpty;

class contender_leave : public test::contender_fixture {
protected:
    // Checks that the contender removes its own znode and no other znode, and is then gone.
    void expect_removed() {
        EXPECT_FALSE(lock.over());
        EXPECT_EQ(session.op<remove_op>(), (remove_op{"/q/" + own}));
        send_ok<remove_op>();
        expect_gone();
        EXPECT_EQ(session.count<remove_op>(), 0U);
    }
};

// ---- waiters --------------------------------------------------------------------------------

TEST_F(contender_leave, before_anything_was_sent_is_over_at_once) {
    session.is_attached = false;
    lock.start(session.event());
    lock.leave(session.event(), k_timed_out);
    expect_failed(errc::timeout);
    expect_gone();
    EXPECT_THAT(session.sent, IsEmpty());
}

TEST_F(contender_leave, while_the_create_is_under_way_removes_what_it_made) {
    lock.start(session.event());
    lock.leave(session.event(), k_timed_out);
    expect_failed(errc::timeout);
    EXPECT_FALSE(lock.over());
    EXPECT_FALSE(lock.waits());
    create_answers_ok(0);
    EXPECT_EQ(session.times_told<granted>(), 0U);
    expect_removed();
}

TEST_F(contender_leave, while_the_create_is_under_way_is_not_granted_by_its_list) {
    lock.start(session.event());
    create_answers_ok(0);
    lock.leave(session.event(), k_timed_out);
    list_answers({own});
    EXPECT_EQ(session.times_told<granted>(), 0U);
    EXPECT_THAT(session.watched, IsEmpty());
    expect_removed();
}

TEST_F(contender_leave, while_the_create_is_refused_is_over) {
    lock.start(session.event());
    lock.leave(session.event(), k_timed_out);
    create_answers(server_error::no_auth);
    EXPECT_EQ(session.times_told<failed>(), 1U) << "the first reason counts";
    expect_gone();
}

TEST_F(contender_leave, while_the_create_never_left_is_over) {
    lock.start(session.event());
    lock.leave(session.event(), k_timed_out);
    detach(outcome::not_sent);
    expect_gone();
}

TEST_F(contender_leave, of_a_waiter_gives_back_its_watches_and_removes_its_znode) {
    wait_for_one();
    lock.leave(session.event(), k_timed_out);
    expect_failed(errc::timeout);
    EXPECT_THAT(session.watched, ::testing::IsEmpty());
    expect_removed();
}

TEST_F(contender_leave, of_a_waiter_is_final_whatever_comes_late) {
    wait_for_one();
    lock.leave(session.event(), k_timed_out);
    watch_fires(watch_kind::deleted, "/q/" + other_name(4));
    lock.on_lease_confirmed(session.event());
    lock.on_own_znode_gone(session.event());
    EXPECT_EQ(session.times_told<granted>(), 0U);
    EXPECT_EQ(session.count<create_op>(), 0U);
    expect_gone();
}

TEST_F(contender_leave, of_a_waiter_with_watches_under_way_leaves_none) {
    enter_queue(5, {other_name(4)});
    lock.leave(session.event(), k_timed_out);
    get_answers();
    EXPECT_EQ(session.times_told<position_known>(), 1U);
    expect_removed();
}

TEST_F(contender_leave, twice_is_leaving_once) {
    wait_for_one();
    lock.leave(session.event(), k_timed_out);
    lock.leave(session.event(), {errc::cancelled});
    lock.revoke(session.event(), {errc::closed});
    EXPECT_EQ(session.times_told<failed>(), 1U);
    expect_failed(errc::timeout);
    expect_removed();
}

TEST_F(contender_leave, of_a_waiter_that_is_told_to_go_says_why) {
    wait_for_one();
    lock.revoke(session.event(), {errc::closed});
    expect_failed(errc::closed);
    EXPECT_EQ(session.times_told<lost>(), 0U);
    expect_removed();
}

TEST_F(contender_leave, while_detached_removes_after_the_re_attach) {
    wait_for_one();
    detach();
    lock.leave(session.event(), k_timed_out);
    expect_failed(errc::timeout);
    EXPECT_FALSE(lock.over());
    attach();
    EXPECT_EQ(session.sent.back().op, (operation{remove_op{"/q/" + own}}));
    expect_removed();
}

TEST_F(contender_leave, among_equal_numbers_is_quiet) {
    enter_queue(2147483647, {"_c_aaaaaaaa-0000-4000-8000-000000000000-lock-2147483647"});
    lock.leave(session.event(), k_timed_out);
    get_answers(1, k_czxid - 1);
    EXPECT_EQ(session.times_told<position_known>(), 0U);
    EXPECT_EQ(session.count<get_op>(), 0U);
    expect_removed();
}

// ---- holders --------------------------------------------------------------------------------

TEST_F(contender_leave, of_a_holder_is_a_release) {
    take_lock();
    lock.leave(session.event(), {errc::not_held});
    EXPECT_THAT(session.told, IsEmpty()) << "it asked for it";
    EXPECT_FALSE(lock.holds());
    expect_removed();
}

TEST_F(contender_leave, of_a_holder_gives_back_the_watch_on_its_own_znode) {
    take_lock();
    lock.watch_own_znode(session.event());
    get_answers(session.own_session);
    lock.leave(session.event(), {errc::not_held});
    expect_removed();
}

TEST_F(contender_leave, is_confirmed_by_the_watch_as_well) {
    take_lock();
    lock.watch_own_znode(session.event());
    get_answers(session.own_session);
    lock.leave(session.event(), {errc::not_held});
    watch_fires(watch_kind::deleted, "/q/" + own);
    EXPECT_EQ(session.times_told<lost>(), 0U) << "it was we who removed it";
    expect_gone();
    send_ok<remove_op>();
    EXPECT_EQ(session.times_told<gone>(), 1U);
}

TEST_F(contender_leave, tells_a_holder_that_did_not_ask_for_it) {
    take_lock();
    lock.revoke(session.event(), {errc::closed});
    ASSERT_EQ(session.told.size(), 1U);
    EXPECT_EQ(session.last_told<lost>()->why, errc::closed);
    expect_removed();
}

// ---- failure F7: a remove that does not succeed ---------------------------------------------

TEST_F(contender_leave, is_done_when_somebody_else_removed_the_znode) {
    take_lock();
    lock.leave(session.event(), {errc::not_held});
    send_error<remove_op>(server_error::no_node);
    expect_gone();
}

TEST_F(contender_leave, removes_again_until_it_is_confirmed) {
    take_lock();
    lock.leave(session.event(), {errc::not_held});
    for (int i = 0; i != 5; ++i) {
        detach();
        EXPECT_FALSE(lock.over());
        EXPECT_GT(lock.owned_bytes(), 0U);
        attach();
    }
    expect_removed();
}

TEST_F(contender_leave, removes_again_when_the_answer_says_nothing) {
    for (const auto refusal : {server_error::session_moved, server_error::session_expired,
                               server_error::not_read_only}) {
        session = {};
        lock = contender_core{{"/q", ""}};
        take_lock();
        lock.leave(session.event(), {errc::not_held});
        send_error<remove_op>(refusal);
        EXPECT_FALSE(lock.over());
        EXPECT_FALSE(session.replacement);
        EXPECT_EQ(session.count<remove_op>(), 0U) << "not before the next connection";
        detach();
        attach();
        expect_removed();
    }
}

TEST_F(contender_leave, at_once_removes_again_when_the_loss_is_told_late) {
    take_lock();
    lock.leave(session.event(), {errc::not_held});
    auto late = session.reply_to<remove_op>();
    late.outcome = outcome::unknown;
    session.connection_number = 2;
    lock.on_attached(session.event());
    EXPECT_EQ(session.count<remove_op>(), 0U) << "its answer is still to come";
    lock.on_reply(session.event(), late);
    expect_removed();
}

// A busy server or an unknown error may be a temporary failure. A replacement of the session would end the session's
// other holds.
TEST_F(contender_leave, tries_again_when_a_remove_is_refused_for_now) {
    take_lock();
    lock.leave(session.event(), k_timed_out);
    send_error<remove_op>(server_error::other);
    EXPECT_FALSE(session.replacement);
    EXPECT_EQ(session.count<remove_op>(), 0U) << "not at once";
    lock.on_attached(session.event());
    expect_removed();
}

TEST_F(contender_leave, ends_the_session_if_the_remove_is_refused_again_and_again) {
    take_lock();
    lock.leave(session.event(), k_timed_out);
    int tries = 0;
    for (; !session.replacement && tries != 1000; ++tries) {
        send_error<remove_op>(server_error::other);
        lock.on_attached(session.event());
    }
    EXPECT_EQ(tries, 16);
}

TEST_F(contender_leave, ends_the_session_if_the_remove_is_refused_for_good) {
    take_lock();
    lock.leave(session.event(), {errc::not_held});
    send_error<remove_op>(server_error::no_auth);
    EXPECT_TRUE(session.replacement);
    EXPECT_FALSE(lock.over());
    EXPECT_THAT(session.open, IsEmpty());
    end_epoch();
    expect_gone();
}

TEST_F(contender_leave, is_over_with_the_session) {
    take_lock();
    lock.leave(session.event(), {errc::not_held});
    end_epoch();
    EXPECT_EQ(session.times_told<lost>(), 0U);
    expect_gone();
}

}  // namespace
}  // namespace turnstile::core
