// SPDX-License-Identifier: Apache-2.0
// Tests a waiting contender: its requests for the folder's children, its watches, and how it gets the lock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "unit/support/contender_fixture.hpp"

namespace turnstile::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pointee;

class contender_queue : public test::contender_fixture {
protected:
    static std::string path(std::int32_t sequence) { return "/q/" + other_name(sequence); }
};

// ---- the place in the queue -----------------------------------------------------------------

TEST_F(contender_queue, tells_its_place_and_watches_the_nearest_one_ahead) {
    enter_queue(5, {other_name(2), other_name(4), other_name(7), other_name(3)});
    ASSERT_EQ(session.told.size(), 1U);
    EXPECT_THAT(session.last_told<position_known>(), Pointee(position_known{3}));
    EXPECT_EQ(lock.ahead(), 3U);
    // A get request sets no watch on a missing znode. An exists request would set a watch, and that watch would remain
    // (failure F13).
    ASSERT_EQ(session.open.size(), 1U);
    EXPECT_EQ(session.open[0].op, (operation{get_op{path(4), watch_mode::watch}}));
    EXPECT_THAT(session.watched, ElementsAre(path(4)));
    EXPECT_FALSE(needs_confirmation(lock.current())) << "its turn is far";
}

// At first the contender watches only the znode ahead. The session's next confirmation (a request that extends the
// lease) also sets a watch on the contender's own znode.
TEST_F(contender_queue, watches_only_the_one_ahead_when_it_is_next) {
    enter_queue(5, {other_name(4)});
    ASSERT_EQ(session.open.size(), 1U);
    EXPECT_EQ(session.open[0].op, (operation{get_op{path(4), watch_mode::watch}}));
    EXPECT_THAT(session.watched, ElementsAre(path(4)));
    EXPECT_TRUE(needs_confirmation(lock.current())) << "else its grant would be born expired";
}

TEST_F(contender_queue, ignores_foreign_children) {
    enter_queue(5,
                {"x-1-0000000000", "README", "2c5a3f1de1534d5ba2e2f8a3a1f5f6c7__lock__0000000001"});
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_queue, does_not_look_at_the_session_of_the_one_ahead) {
    enter_queue(5, {other_name(4)});
    get_answers(session.own_session);  // shows another contender of this session
    EXPECT_EQ(session.times_told<granted>(), 0U);
    EXPECT_THAT(session.open, IsEmpty());
}

// ---- hand-over ------------------------------------------------------------------------------

TEST_F(contender_queue, is_granted_without_a_request_when_the_only_one_ahead_goes) {
    wait_for_one();
    watch_fires(watch_kind::deleted, path(4));
    EXPECT_NE(session.last_told<granted>(), nullptr);
    EXPECT_TRUE(lock.holds());
    EXPECT_THAT(session.open, IsEmpty());
    EXPECT_THAT(session.watched, IsEmpty());
}

TEST_F(contender_queue, is_granted_without_a_request_when_its_own_znode_is_watched) {
    wait_for_one();
    watch_itself();
    watch_fires(watch_kind::deleted, path(4));
    EXPECT_NE(session.last_told<granted>(), nullptr);
    EXPECT_THAT(session.open, IsEmpty());
    EXPECT_THAT(session.watched, ElementsAre("/q/" + own));
}

TEST_F(contender_queue, is_granted_when_the_only_one_ahead_was_gone_before_the_watch) {
    enter_queue(5, {other_name(4)});
    send_error<get_op>(server_error::no_node);
    EXPECT_EQ(session.times_told<granted>(), 1U);
    EXPECT_THAT(session.open, IsEmpty());
    EXPECT_THAT(session.watched, IsEmpty());
    EXPECT_THAT(session.given_back, IsEmpty()) << "the servers keep no watch on what is gone";
}

TEST_F(contender_queue, is_granted_without_a_look_once_the_lease_is_certain) {
    wait_for_one();
    session.has_lease = false;
    watch_fires(watch_kind::deleted, path(4));
    session.has_lease = true;
    lock.on_lease_confirmed(session.event());
    EXPECT_EQ(session.times_told<granted>(), 1U);
    EXPECT_THAT(session.open, IsEmpty());
}

TEST_F(contender_queue, is_granted_by_a_list_without_a_look) {
    enter_queue(5, {other_name(3), other_name(4)});
    get_answers();
    watch_fires(watch_kind::deleted, path(4));
    list_answers({own});
    EXPECT_EQ(session.times_told<granted>(), 1U);
    EXPECT_THAT(session.open, IsEmpty());
}

// ---- another client's text in the contender's own znode -------------------------------------

TEST_F(contender_queue, sees_its_znode_before_the_hand_over_when_it_waited_for_long) {
    wait_for_one();
    pass_unseen();
    watch_fires(watch_kind::deleted, path(4));
    EXPECT_EQ(session.times_told<granted>(), 0U);
    EXPECT_EQ(session.count<children_op>(), 0U);
    EXPECT_EQ(session.op<get_op>(), (get_op{"/q/" + own, watch_mode::watch}));
    own_get_answers();
    EXPECT_EQ(session.times_told<granted>(), 1U);
    EXPECT_THAT(session.open, IsEmpty());
}

TEST_F(contender_queue, is_not_granted_with_an_order_that_was_written_while_it_waited_for_long) {
    wait_for_one();
    pass_unseen();
    watch_fires(watch_kind::deleted, path(4));
    own_get_answers(1, "data revoke=take by=ops why=stuck");
    expect_failed(errc::revoked);
    EXPECT_EQ(session.times_told<granted>(), 0U);
}

TEST_F(contender_queue, looks_when_it_lists_again_after_a_long_wait) {
    enter_queue(5, {other_name(3), other_name(4)});
    get_answers();
    pass_unseen();
    watch_fires(watch_kind::deleted, path(4));
    ASSERT_EQ(session.open.size(), 2U);
    EXPECT_EQ(session.open[0].op, operation{get_op{"/q/" + own}});
    EXPECT_EQ(session.open[1].op, operation{children_op{"/q"}});
    own_get_answers();
    list_answers({own});
    EXPECT_EQ(session.times_told<granted>(), 1U);
    EXPECT_THAT(session.open, IsEmpty());
}

TEST_F(contender_queue, waits_for_the_look_that_is_under_way) {
    wait_for_one();
    watch_itself();
    watch_fires(watch_kind::changed, "/q/" + own);
    watch_fires(watch_kind::deleted, path(4));
    EXPECT_EQ(session.times_told<granted>(), 0U);
    own_get_answers(1, "data revoke=ask by=ops why=please");
    EXPECT_EQ(session.times_told<granted>(), 1U);
    EXPECT_EQ(session.times_told<asked_to_release>(), 1U);
}

TEST_F(contender_queue, looks_again_later_where_the_look_came_to_nothing) {
    wait_for_one();
    pass_unseen();
    watch_fires(watch_kind::deleted, path(4));
    lose<get_op>(outcome::not_sent);
    EXPECT_THAT(session.open, IsEmpty()) << "not at once, and again and again";
    lock.on_attached(session.event());
    own_get_answers();
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

TEST_F(contender_queue, fails_where_it_may_not_look_at_its_own_znode) {
    wait_for_one();
    pass_unseen();
    watch_fires(watch_kind::deleted, path(4));
    send_error<get_op>(server_error::no_auth);
    expect_failed(errc::no_permission);
}

// Failure F28: if the hand-over comes after the lease has ended, the contender must not be granted yet.
TEST_F(contender_queue, is_not_granted_at_the_hand_over_before_the_lease_is_certain) {
    wait_for_one();
    session.has_lease = false;
    watch_fires(watch_kind::deleted, path(4));
    EXPECT_EQ(session.times_told<granted>(), 0U);
    EXPECT_TRUE(awaits_lease(lock.current()));
    session.has_lease = true;
    lock.on_lease_confirmed(session.event());
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

TEST_F(contender_queue, lists_again_when_more_than_one_was_ahead) {
    enter_queue(5, {other_name(3), other_name(4)});
    get_answers();
    watch_fires(watch_kind::deleted, path(4));
    EXPECT_EQ(session.open.size(), 1U);
    list_answers({other_name(3), own});
    EXPECT_THAT(session.last_told<position_known>(), Pointee(position_known{1}));
    EXPECT_EQ(session.op<get_op>().path, path(3));
}

TEST_F(contender_queue, lists_again_when_more_than_one_was_ahead_although_it_is_watched) {
    enter_queue(5, {other_name(3), other_name(4)});
    get_answers();
    watch_itself();
    watch_fires(watch_kind::deleted, path(4));
    EXPECT_EQ(session.times_told<granted>(), 0U);
    EXPECT_EQ(session.count<children_op>(), 1U);
}

TEST_F(contender_queue, lists_again_after_an_event_of_an_earlier_connection) {
    wait_for_one();
    detach();
    attach();
    list_answers({other_name(4), own});
    get_answers();
    ASSERT_THAT(session.open, IsEmpty());
    lock.on_watch(session.event(), {watch_kind::deleted, path(4), session.connection_number - 1});
    EXPECT_EQ(session.times_told<granted>(), 0U);
    EXPECT_EQ(session.count<children_op>(), 1U);
}

// After a reconnect, events arrive in any order, so one event does not prove that the contender is first.
TEST_F(contender_queue, lists_before_it_believes_an_event_after_a_re_attach) {
    wait_for_one();
    detach();
    attach();
    watch_fires(watch_kind::deleted, path(4));
    EXPECT_EQ(session.times_told<granted>(), 0U);
    list_answers({own});
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

TEST_F(contender_queue, lists_before_it_believes_what_an_earlier_connection_saw) {
    wait_for_one();
    detach();
    attach();
    lock.on_watch(session.event(), {watch_kind::deleted, path(4), session.connection_number - 1});
    EXPECT_EQ(session.times_told<granted>(), 0U);
    list_answers({own});
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

TEST_F(contender_queue, hands_over_across_a_wrap) {
    constexpr auto k_first = std::numeric_limits<std::int32_t>::min() + 1'000'000;
    enter_queue(k_first, {other_name(2147483647)});
    EXPECT_THAT(session.last_told<position_known>(), Pointee(position_known{1}));
    get_answers();
    watch_fires(watch_kind::deleted, path(2147483647));
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

// ---- watches --------------------------------------------------------------------------------

TEST_F(contender_queue, watches_again_when_the_one_ahead_only_changed) {
    wait_for_one();
    watch_fires(watch_kind::changed, path(4));
    EXPECT_EQ(session.op<get_op>(), (get_op{path(4), watch_mode::watch}));
    EXPECT_EQ(session.count<children_op>(), 0U);
    get_answers();
    watch_fires(watch_kind::deleted, path(4));
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

TEST_F(contender_queue, lists_again_when_the_nearest_of_several_was_gone_before_the_watch) {
    enter_queue(5, {other_name(3), other_name(4)});
    send_error<get_op>(server_error::no_node);
    EXPECT_EQ(session.count<children_op>(), 1U);
    list_answers({own});
    EXPECT_EQ(session.times_told<granted>(), 1U);
    EXPECT_THAT(session.watched, IsEmpty()) << "F13";
    EXPECT_THAT(session.given_back, IsEmpty());
}

TEST_F(contender_queue, gives_back_the_watch_on_one_that_is_no_longer_the_nearest) {
    enter_queue(5, {other_name(3), other_name(4)});
    send_error<get_op>(server_error::no_node);
    list_answers({other_name(3), own});
    EXPECT_THAT(session.watched, ElementsAre(path(3)));
}

TEST_F(contender_queue, tells_its_place_only_when_it_changed) {
    enter_queue(5, {other_name(2), other_name(3), other_name(4)});
    get_answers();
    detach();
    attach();
    list_answers({other_name(2), other_name(3), other_name(4), own});
    EXPECT_EQ(session.times_told<position_known>(), 1U);
}

TEST_F(contender_queue, fails_where_it_may_not_watch_the_one_ahead) {
    enter_queue(5, {other_name(4)});
    send_error<get_op>(server_error::no_auth);
    expect_failed(errc::no_permission);
    EXPECT_EQ(session.count<remove_op>(), 1U);
}

TEST_F(contender_queue, fails_where_it_may_not_list) {
    lock.start(session.event());
    create_answers_ok(5);
    send_error<children_op>(server_error::no_auth);
    expect_failed(errc::no_permission);
    send_ok<remove_op>();
    expect_gone();
}

TEST_F(contender_queue, watches_its_own_znode_once) {
    take_lock();
    lock.watch_own_znode(session.event());
    lock.watch_own_znode(session.event());
    EXPECT_EQ(session.count<get_op>(), 1U);
    get_answers(session.own_session);
    lock.watch_own_znode(session.event());
    EXPECT_THAT(session.open, IsEmpty());
    watch_fires(watch_kind::changed, "/q/" + own);
    EXPECT_EQ(session.op<get_op>(), (get_op{"/q/" + own, watch_mode::watch}));
}

// ---- failure F37: an administrator deletes a waiter's znode ---------------------------------

class contender_removed_while_waiting : public contender_queue {
protected:
    // Checks that the contender enters again at the end of the queue, and that its old position gives it no grant.
    void expect_entered_again() {
        EXPECT_TRUE(lock.waits());
        EXPECT_EQ(session.count<create_op>(), 1U);
        EXPECT_EQ(session.guids.size(), 2U);
        EXPECT_THAT(session.watched, IsEmpty());
        watch_fires(watch_kind::deleted, path(4));
        EXPECT_EQ(session.times_told<granted>(), 0U);
        create_answers_ok(9);
        list_answers({other_name(6), own});
        EXPECT_EQ(session.times_told<granted>(), 0U);
        EXPECT_EQ(session.reply_to_get(path(6)).outcome, outcome::answered);
    }
};

TEST_F(contender_removed_while_waiting, enters_again_when_its_watch_tells) {
    wait_for_one();
    watch_itself();
    watch_fires(watch_kind::deleted, "/q/" + own);
    expect_entered_again();
}

TEST_F(contender_removed_while_waiting, enters_again_when_a_list_tells) {
    enter_queue(5, {other_name(3), other_name(4)});
    get_answers();
    watch_fires(watch_kind::deleted, path(4));
    list_answers({other_name(3)});
    expect_entered_again();
}

TEST_F(contender_removed_while_waiting, enters_again_when_it_cannot_be_watched_any_more) {
    wait_for_one();
    lock.watch_own_znode(session.event());
    send_error<get_op>(server_error::no_node);
    EXPECT_THAT(session.given_back, ElementsAre(path(4)));
    expect_entered_again();
}

TEST_F(contender_removed_while_waiting, enters_again_when_a_check_tells) {
    wait_for_one();
    lock.on_own_znode_gone(session.event());
    expect_entered_again();
}

TEST_F(contender_removed_while_waiting, makes_the_whole_path_again) {
    wait_for_one();
    detach();
    attach();
    send_error<children_op>(server_error::no_node);
    EXPECT_EQ(session.count<create_op>(), 1U);
    create_answers(server_error::no_node);
    EXPECT_EQ(session.op<create_op>().mode, create_mode::container);
}

}  // namespace
}  // namespace turnstile::core
