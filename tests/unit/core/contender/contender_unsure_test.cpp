// SPDX-License-Identifier: Apache-2.0
// Tests how a contender finds out the outcome of a create whose answer was lost (promise G8, failures F1, F2, F36,
// F39).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/contender_fixture.hpp"

namespace turnstile::core {
namespace {

using test::k_timed_out;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pointee;

class contender_unsure : public test::contender_fixture {
protected:
    void SetUp() override {
        lock.start(session.event());
        left_behind = session.op<create_op>().path.substr(3) + "0000000005";
        detach();
        ASSERT_THAT(session.told, IsEmpty());
    }
    void verified() { send_ok<multi_op>(); }

    std::string left_behind;  // name of the znode that the unanswered create made
};

TEST_F(contender_unsure, first_commits_a_write_on_the_new_connection) {
    attach();
    ASSERT_EQ(session.open.size(), 1U);
    EXPECT_EQ(session.open[0].op, (operation{multi_op{{check_op{"/q"}}}}));
    EXPECT_GT(lock.owned_bytes(), 0U) << "it may be there";
    verified();
    EXPECT_EQ(session.open[0].op, (operation{children_op{"/q"}}));
}

TEST_F(contender_unsure, finds_its_znode_and_is_granted) {
    attach();
    verified();
    list_answers({left_behind});
    EXPECT_EQ(session.op<get_op>(), (get_op{"/q/" + left_behind, watch_mode::none}));
    get_answers(session.own_session, 77);
    list_answers({left_behind});
    EXPECT_THAT(session.last_told<granted>(),
                Pointee(granted{fencing_token{77}, "/q/" + left_behind}));
    EXPECT_EQ(session.guids.size(), 1U);
}

TEST_F(contender_unsure, finds_its_place_in_the_queue) {
    attach();
    verified();
    list_answers({other_name(4), left_behind});
    get_answers(session.own_session);
    list_answers({other_name(4), left_behind});
    EXPECT_THAT(session.last_told<position_known>(), Pointee(position_known{1}));
}

// Failures F1 and F2: the servers have not deleted a znode of an expired session yet. The contender must not treat that
// znode as its own.
TEST_F(contender_unsure, does_not_take_a_znode_of_another_session) {
    attach();
    verified();
    list_answers({left_behind});
    get_answers(session.own_session - 1);
    EXPECT_THAT(session.told, IsEmpty());
    EXPECT_THAT(session.abandoned, ElementsAre(session.guids[0]));
    EXPECT_EQ(session.guids.size(), 2U);
    EXPECT_EQ(session.count<create_op>(), 1U);
}

TEST_F(contender_unsure, creates_with_another_guid_if_it_is_not_there) {
    attach();
    verified();
    list_answers({other_name(4)});
    EXPECT_THAT(session.abandoned, ElementsAre(session.guids[0]));
    ASSERT_EQ(session.guids.size(), 2U);
    create_answers_ok(6);
    list_answers({own});
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_unsure, creates_again_if_even_the_folder_is_not_there) {
    attach();
    send_error<multi_op>(server_error::no_node);
    send_error<children_op>(server_error::no_node);
    EXPECT_EQ(session.count<create_op>(), 1U);
}

TEST_F(contender_unsure, creates_again_if_it_vanishes_while_it_looks) {
    attach();
    verified();
    list_answers({left_behind});
    send_error<get_op>(server_error::no_node);
    EXPECT_EQ(session.guids.size(), 2U);
}

TEST_F(contender_unsure, is_not_fooled_by_a_foreign_child_with_its_guid) {
    attach();
    verified();
    list_answers({"_c_" + session.guids[0] + "-latch-0000000005"});
    EXPECT_EQ(session.count<get_op>(), 0U);
    EXPECT_EQ(session.guids.size(), 2U);
}

// Failure F39: a commit on one connection proves nothing about the next connection.
TEST_F(contender_unsure, F39_verifies_again_on_every_connection) {
    attach();
    verified();
    detach();
    attach();
    EXPECT_EQ(session.count<multi_op>(), 1U);
    EXPECT_EQ(session.count<children_op>(), 0U);
    detach();
    attach();
    verified();
    list_answers({left_behind});
    detach();
    attach();
    EXPECT_EQ(session.count<multi_op>(), 1U);
    EXPECT_THAT(session.told, IsEmpty());
}

TEST_F(contender_unsure, takes_no_list_without_a_write_that_committed) {
    attach();
    send_error<multi_op>(server_error::session_moved);
    EXPECT_EQ(session.count<children_op>(), 0U);
    detach();
    attach();
    EXPECT_EQ(session.count<multi_op>(), 1U);
}

TEST_F(contender_unsure, asks_again_when_the_look_at_the_znode_says_nothing) {
    attach();
    verified();
    list_answers({left_behind});
    send_error<get_op>(server_error::other);
    EXPECT_THAT(session.abandoned, IsEmpty()) << "it may be ours";
    EXPECT_EQ(session.count<create_op>(), 0U);
    detach();
    attach();
    verified();
    list_answers({left_behind});
    get_answers(session.own_session);
    list_answers({left_behind});
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_unsure, asks_again_when_the_look_is_lost) {
    attach();
    verified();
    list_answers({left_behind});
    detach();
    EXPECT_THAT(session.abandoned, IsEmpty());
    attach();
    EXPECT_EQ(session.count<multi_op>(), 1U);
}

TEST_F(contender_unsure, removes_a_znode_that_it_may_not_read) {
    attach();
    verified();
    list_answers({left_behind});
    send_error<get_op>(server_error::no_auth);
    expect_failed(errc::no_permission);
    EXPECT_EQ(session.op<remove_op>(), (remove_op{"/q/" + left_behind}));
    send_ok<remove_op>();
    expect_gone();
}

TEST_F(contender_unsure, has_the_session_replaced_where_it_may_not_look) {
    attach();
    verified();
    send_error<children_op>(server_error::no_auth);
    EXPECT_TRUE(session.replacement);
    end_epoch();
    attach();
    EXPECT_EQ(session.count<create_op>(), 1U);
}

TEST_F(contender_unsure, is_over_with_the_session) {
    end_epoch();
    attach();
    EXPECT_EQ(session.count<multi_op>(), 0U);
    EXPECT_EQ(session.count<create_op>(), 1U);
    EXPECT_EQ(session.guids.size(), 2U);
}

TEST_F(contender_unsure, removes_what_it_finds_for_somebody_who_left) {
    lock.leave(session.event(), k_timed_out);
    expect_failed(errc::timeout);
    attach();
    verified();
    list_answers({left_behind});
    get_answers(session.own_session);
    EXPECT_EQ(session.op<remove_op>(), (remove_op{"/q/" + left_behind}));
    EXPECT_FALSE(lock.over());
    send_ok<remove_op>();
    expect_gone();
    EXPECT_EQ(session.guids.size(), 1U);
}

TEST_F(contender_unsure, is_gone_for_somebody_who_left_if_nothing_is_there) {
    attach();
    lock.leave(session.event(), k_timed_out);
    verified();
    list_answers({other_name(4)});
    EXPECT_THAT(session.abandoned, ElementsAre(session.guids[0])) << "a late one is removed";
    expect_gone();
}

// ---- answers to the create that are lost, late or of another session ------------------------

class contender_answered : public test::contender_fixture {};

// The client may learn only after the reconnect that the answer was lost.
TEST_F(contender_answered, late_finds_out_at_once) {
    lock.start(session.event());
    session.connection_number = 2;
    lock.on_attached(session.event());
    EXPECT_EQ(session.count<multi_op>(), 0U);
    auto answer = session.reply_to<create_op>();
    answer.outcome = outcome::unknown;
    answer.connection = 1;
    lock.on_reply(session.event(), answer);
    EXPECT_EQ(session.count<multi_op>(), 1U);
}

TEST_F(contender_answered, that_the_session_moved_finds_out_on_the_next_connection) {
    for (const auto refusal : {server_error::session_moved, server_error::session_expired}) {
        session = {};
        lock = contender_core{{"/q", ""}};
        lock.start(session.event());
        create_answers(refusal);
        EXPECT_EQ(session.count<multi_op>(), 0U);
        detach();
        attach();
        EXPECT_EQ(session.count<multi_op>(), 1U);
    }
}

// Failure F1: an answer with a znode of another session must not lead to a grant.
TEST_F(contender_answered, with_another_owner_is_not_mine) {
    lock.start(session.event());
    auto answer = session.reply_to<create_op>();
    answer.path = "/q/_c_" + session.guids[0] + "-lock-0000000000";
    answer.stat.ephemeral_owner = session.own_session + 1;
    lock.on_reply(session.event(), answer);
    list_answers({"_c_" + session.guids[0] + "-lock-0000000000"});
    EXPECT_THAT(session.told, IsEmpty());
    EXPECT_FALSE(lock.holds());
}

TEST_F(contender_answered, while_its_list_is_lost_lists_again) {
    lock.start(session.event());
    create_answers_ok(5);
    detach();
    attach();
    EXPECT_EQ(session.count<multi_op>(), 0U) << "it is known to be there";
    list_answers({own});
    EXPECT_TRUE(lock.holds());
}

// Failure F2: the answer to a create of the expired session arrives late.
TEST_F(contender_answered, in_an_earlier_session_is_dropped) {
    lock.start(session.event());
    auto late = session.reply_to<create_op>();
    late.path = "/q/_c_" + session.guids[0] + "-lock-0000000000";
    late.stat.ephemeral_owner = session.own_session;
    end_epoch();
    attach();
    lock.on_reply(session.event(), late);
    create_answers_ok(8);
    EXPECT_EQ(lock.znode(), "/q/_c_" + session.guids[1] + "-lock-0000000008");
    EXPECT_THAT(session.guids, ::testing::SizeIs(2));
}

}  // namespace
}  // namespace turnstile::core
