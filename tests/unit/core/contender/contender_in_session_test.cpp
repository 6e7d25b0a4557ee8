// SPDX-License-Identifier: Apache-2.0
// Tests how events of the session affect a contender: a reconnect, the end of the lease, and the client's next session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/contender_fixture.hpp"

namespace turnstile::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pointee;

class contender_in_session : public test::contender_fixture {
protected:
    static std::string path(std::int32_t sequence) { return "/q/" + other_name(sequence); }
    const error lease_over{errc::session_lost, "the lease is over"};
};

// ---- an operator's requests and orders --------------------------------------------------------

// An operator wrote a request (`ask`) or an order (`take`) into the contender's znode. This text must not apply to the
// znode that the contender creates when it enters again.
TEST_F(contender_in_session, that_ends_takes_the_order_to_a_waiter_along) {
    wait_for_one();
    watch_itself();
    watch_fires(watch_kind::changed, "/q/" + own);
    own_get_answers(1, "data revoke=ask by=ops why=please");
    end_epoch();
    attach();
    create_answers_ok(9);
    list_answers({own});
    ASSERT_EQ(session.times_told<granted>(), 1U);
    EXPECT_EQ(session.times_told<asked_to_release>(), 0U);
}

// Servers that went back to older data may use a version number again that the contender has already read.
TEST_F(contender_in_session, that_comes_back_finds_an_order_under_the_version_that_a_waiter_knows) {
    wait_for_one();
    watch_itself();
    watch_fires(watch_kind::changed, "/q/" + own);
    own_get_answers(0, "data revoke=take by=ops why=stuck");
    EXPECT_EQ(session.times_told<failed>(), 1U);
}

TEST_F(contender_in_session, that_comes_back_finds_an_order_under_the_version_that_a_holder_knows) {
    take_lock();
    watch_itself();
    watch_fires(watch_kind::changed, "/q/" + own);
    own_get_answers(0, "data revoke=take by=ops why=stuck");
    EXPECT_EQ(session.times_told<lost>(), 1U);
    EXPECT_FALSE(lock.holds());
}

TEST_F(contender_in_session,
       that_comes_back_finds_a_request_under_the_version_that_a_waiter_knows) {
    wait_for_one();
    watch_itself();
    watch_fires(watch_kind::changed, "/q/" + own);
    own_get_answers(0, "data revoke=ask by=ops why=please");
    watch_fires(watch_kind::deleted, path(4));
    ASSERT_EQ(session.times_told<granted>(), 1U);
    EXPECT_EQ(session.times_told<asked_to_release>(), 1U);
}

TEST_F(contender_in_session,
       that_comes_back_finds_a_request_under_the_version_that_a_holder_knows) {
    take_lock();
    watch_itself();
    for (const char* const why : {"please", "please", "now"}) {
        watch_fires(watch_kind::changed, "/q/" + own);
        own_get_answers(0, "data revoke=ask by=ops why=" + std::string{why});
    }
    EXPECT_EQ(session.times_told<asked_to_release>(), 2U) << "the same one is told once";
}

// ---- connections that break and come back -----------------------------------------------------

TEST_F(contender_in_session, that_breaks_puts_a_holder_at_risk) {
    take_lock();
    detach();
    EXPECT_NE(session.last_told<at_risk>(), nullptr);
    EXPECT_TRUE(lock.holds());
    attach();
    EXPECT_TRUE(lock.holds());
    EXPECT_THAT(session.open, IsEmpty()) << "confirming it is the session's part";
    EXPECT_EQ(session.told.size(), 1U);
}

TEST_F(contender_in_session, that_breaks_is_no_matter_for_a_waiter) {
    wait_for_one();
    session.told.clear();
    detach();
    EXPECT_THAT(session.told, IsEmpty());
    EXPECT_TRUE(lock.waits());
}

TEST_F(contender_in_session, that_comes_back_makes_a_waiter_list_and_watch_again) {
    wait_for_one();
    detach();
    attach();
    ASSERT_EQ(session.open.size(), 1U);
    list_answers({other_name(4), own});
    ASSERT_EQ(session.open.size(), 1U);
    EXPECT_EQ(session.op<get_op>(), (get_op{path(4), watch_mode::watch}));
    get_answers();
    watch_fires(watch_kind::deleted, path(4));
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

TEST_F(contender_in_session, that_comes_back_shows_that_the_one_ahead_went) {
    wait_for_one();
    detach();
    attach();
    list_answers({own});
    EXPECT_EQ(session.times_told<granted>(), 1U);
    EXPECT_THAT(session.watched, IsEmpty());
}

TEST_F(contender_in_session, that_comes_back_shows_another_one_ahead) {
    enter_queue(5, {other_name(3), other_name(4)});
    get_answers();
    detach();
    attach();
    list_answers({other_name(3), own});
    EXPECT_THAT(session.watched, ElementsAre(path(3)));
}

// The contender was first in line without a lease when the connection broke. Reads of the old connection do not count
// after the reconnect.
TEST_F(contender_in_session, that_comes_back_grants_by_a_fresh_list_only) {
    session.has_lease = false;
    enter_queue(0);
    detach();
    attach();
    session.has_lease = true;
    lock.on_lease_confirmed(session.event());
    EXPECT_EQ(session.times_told<granted>(), 0U);
    list_answers({own});
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

TEST_F(contender_in_session, that_is_away_grants_nothing) {
    session.has_lease = false;
    enter_queue(0);
    detach();
    session.has_lease = true;
    lock.on_lease_confirmed(session.event());
    EXPECT_EQ(session.times_told<granted>(), 0U);
}

// ---- the end of the lease -------------------------------------------------------------------

TEST_F(contender_in_session, whose_lease_ends_ends_a_hold_and_removes_its_znode) {
    take_lock();
    detach();
    lock.on_lease_end(session.event(), lease_over);
    ASSERT_NE(session.last_told<lost>(), nullptr);
    EXPECT_EQ(session.last_told<lost>()->why, errc::session_lost);
    EXPECT_FALSE(lock.holds());
    EXPECT_FALSE(lock.over());
    attach();
    EXPECT_EQ(session.op<remove_op>(), (remove_op{"/q/" + own}));
    send_ok<remove_op>();
    expect_gone();
    EXPECT_EQ(session.times_told<lost>(), 1U);
}

TEST_F(contender_in_session, whose_lease_ends_leaves_a_waiter_in_its_place) {
    wait_for_one();
    session.told.clear();
    lock.on_lease_end(session.event(), lease_over);
    EXPECT_THAT(session.told, IsEmpty());
    EXPECT_TRUE(lock.waits());
}

// ---- the end of an epoch (the life of one session at the servers) ----------------------------

TEST_F(contender_in_session, that_ends_ends_a_hold) {
    take_lock();
    end_epoch();
    EXPECT_EQ(session.times_told<lost>(), 1U);
    expect_gone();
    attach();
    EXPECT_THAT(session.open, IsEmpty());
}

TEST_F(contender_in_session, that_ends_lets_a_waiter_enter_the_next_one) {
    wait_for_one();
    session.told.clear();
    end_epoch();
    EXPECT_THAT(session.told, IsEmpty());
    EXPECT_TRUE(lock.waits());
    EXPECT_EQ(lock.ahead(), std::nullopt);
    EXPECT_GT(lock.owned_bytes(), 0U) << "it will enter again";
    attach();
    EXPECT_EQ(session.guids.size(), 2U);
    create_answers_ok(9);
    // The servers have not deleted the znode of the earlier session yet, so it counts as another contender ahead
    // (failure F1).
    const auto old = "_c_" + session.guids[0] + "-lock-0000000005";
    list_answers({old, other_name(8), own});
    EXPECT_THAT(session.last_told<position_known>(), Pointee(position_known{2}));
}

TEST_F(contender_in_session, that_ends_before_a_grant_leaves_no_trace_of_the_old_place) {
    session.has_lease = false;
    enter_queue(0);
    end_epoch();
    session.has_lease = true;
    EXPECT_FALSE(awaits_lease(lock.current()));
    lock.on_lease_confirmed(session.event());
    attach();
    lock.on_lease_confirmed(session.event());
    EXPECT_EQ(session.times_told<granted>(), 0U);
}

class contender_failing : public test::contender_fixture {
protected:
    contender_failing() : contender_fixture{{"/q", "", attempt::wait, session_loss_policy::fail}} {}
};

TEST_F(contender_failing, fails_by_option_when_the_session_ends) {
    wait_for_one();
    end_epoch();
    expect_failed(errc::session_lost);
    expect_gone();
}

TEST_F(contender_failing, keeps_waiting_when_only_the_connection_ends) {
    wait_for_one();
    detach();
    attach();
    EXPECT_EQ(session.times_told<failed>(), 0U);
}

// ---- the contender's own znode --------------------------------------------------------------

TEST_F(contender_in_session, whose_holders_znode_somebody_removed_tells_so) {
    take_lock();
    lock.watch_own_znode(session.event());
    get_answers(session.own_session);
    watch_fires(watch_kind::deleted, "/q/" + own);
    ASSERT_EQ(session.times_told<lost>(), 1U);
    expect_lost(errc::removed);
    expect_gone();
    EXPECT_EQ(session.count<remove_op>(), 0U);
    EXPECT_EQ(session.count<create_op>(), 0U);
}

TEST_F(contender_in_session, whose_check_missed_the_znode_tells_so) {
    take_lock();
    lock.on_own_znode_gone(session.event());
    expect_lost(errc::removed);
    expect_gone();
}

TEST_F(contender_in_session, whose_watch_found_no_znode_tells_so) {
    take_lock();
    lock.watch_own_znode(session.event());
    send_error<get_op>(server_error::no_node);
    expect_lost(errc::removed);
    expect_gone();
}

// The client may learn before or after the reconnect that the request was lost.
TEST_F(contender_in_session, whose_watch_an_earlier_connection_lost_asks_for_it_again) {
    take_lock();
    lock.watch_own_znode(session.event());
    auto late = session.reply_to<get_op>();
    late.outcome = outcome::unknown;
    detach();
    attach();
    ASSERT_EQ(session.count<get_op>(), 0U);
    lock.on_reply(session.event(), late);
    EXPECT_EQ(session.op<get_op>(), (get_op{"/q/" + own, watch_mode::watch}));
    send_error<get_op>(server_error::no_node);
    expect_lost(errc::removed);
}

TEST_F(contender_in_session, tells_of_another_znode_are_no_matter) {
    take_lock();
    watch_fires(watch_kind::deleted, path(4));
    watch_fires(watch_kind::deleted, "/q");
    EXPECT_TRUE(lock.holds());
    EXPECT_THAT(session.told, IsEmpty());
}

}  // namespace
}  // namespace turnstile::core
