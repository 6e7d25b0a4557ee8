// SPDX-License-Identifier: Apache-2.0
// Tests how a contender enters the queue: its create, missing parent znodes, and the grant of a free lock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/contender_fixture.hpp"

namespace turnstile::core {
namespace {

using test::k_timed_out;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class contender_enter : public test::contender_fixture {};

TEST_F(contender_enter, creates_and_lists_back_to_back) {
    lock.start(session.event());
    ASSERT_EQ(session.open.size(), 2U);
    EXPECT_EQ(session.open[0].op,
              (operation{create_op{"/q/_c_" + session.guids[0] + "-lock-", "data",
                                   create_mode::ephemeral_sequential, acl_policy::open}}));
    EXPECT_EQ(session.open[1].op, (operation{children_op{"/q", watch_mode::none}}));
    EXPECT_THAT(session.told, IsEmpty());
    EXPECT_TRUE(lock.waits());
}

TEST_F(contender_enter, is_granted_a_free_lock_with_two_requests) {
    enter_queue(3);
    EXPECT_THAT(session.told, ElementsAre(test::contender_stage::told_value{
                                  granted{fencing_token{k_czxid}, "/q/" + own}}));
    EXPECT_EQ(session.sent.size(), 2U);
    EXPECT_THAT(session.open, IsEmpty());
    EXPECT_TRUE(lock.holds());
    EXPECT_FALSE(lock.waits());
    EXPECT_EQ(lock.znode(), "/q/" + own);
    EXPECT_EQ(lock.ahead(), 0U);
}

TEST_F(contender_enter, tells_each_place_that_it_takes) {
    lock.start(session.event());
    EXPECT_THAT(session.entered_as, IsEmpty());
    create_answers_ok(4);
    EXPECT_THAT(session.entered_as, ElementsAre(lock.znode()));
    end_epoch();
    attach();
    create_answers_ok(9);
    EXPECT_THAT(session.entered_as, ElementsAre(::testing::_, lock.znode()));
}

TEST_F(contender_enter, tells_no_place_to_who_has_given_up) {
    lock.start(session.event());
    lock.leave(session.event(), test::k_timed_out);
    create_answers_ok(4);
    EXPECT_THAT(session.entered_as, IsEmpty());
}

TEST_F(contender_enter, counts_the_bytes_that_its_znode_takes) {
    const auto before = lock.owned_bytes();
    lock.start(session.event());
    EXPECT_EQ(before, lock.owned_bytes());
    create_answers_ok(3);
    EXPECT_EQ(lock.owned_bytes(), lock.znode().size() + 4);
    EXPECT_EQ(before, lock.owned_bytes()) << "it will create, or may have already";
}

TEST_F(contender_enter, asks_nothing_before_a_server_is_there) {
    session.is_attached = false;
    lock.start(session.event());
    EXPECT_THAT(session.sent, IsEmpty());
    attach();
    EXPECT_EQ(session.count<create_op>(), 1U);
}

// Failure F28: the lease may end before the request to create the znode is answered.
TEST_F(contender_enter, F28_is_not_granted_before_the_lease_is_certain) {
    session.has_lease = false;
    enter_queue(0);
    EXPECT_THAT(session.told, IsEmpty());
    EXPECT_TRUE(awaits_lease(lock.current()));
    EXPECT_TRUE(needs_confirmation(lock.current()));
    lock.on_lease_confirmed(session.event());
    EXPECT_THAT(session.told, IsEmpty()) << "what was confirmed may be over again";
    session.has_lease = true;
    lock.on_lease_confirmed(session.event());
    EXPECT_EQ(session.times_told<granted>(), 1U);
    EXPECT_FALSE(awaits_lease(lock.current()));
    lock.on_lease_confirmed(session.event());
    EXPECT_EQ(session.times_told<granted>(), 1U);
    EXPECT_THAT(session.open, IsEmpty());
}

TEST_F(contender_enter, is_not_granted_by_a_lease_before_the_list) {
    lock.start(session.event());
    create_answers_ok(0);
    lock.on_lease_confirmed(session.event());
    EXPECT_THAT(session.told, IsEmpty());
    EXPECT_FALSE(awaits_lease(lock.current()));
}

TEST_F(contender_enter, drops_answers_to_requests_that_it_did_not_make) {
    lock.start(session.event());
    const auto before = lock;
    reply stranger;
    stranger.id = ticket{12345};
    stranger.outcome = outcome::answered;
    stranger.connection = 1;
    stranger.children = {"_c_x-lock-0000000000"};
    lock.on_reply(session.event(), stranger);
    EXPECT_EQ(lock, before);
}

// ---- acquires that try once -----------------------------------------------------------------

class contender_once : public test::contender_fixture {
protected:
    contender_once() : contender_fixture{{"/q", "", attempt::once}} {}
};

TEST_F(contender_once, takes_a_free_lock) {
    enter_queue(3);
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

// Failure F33: an acquire that tries once and fails must leave neither a znode nor a watch.
TEST_F(contender_once, is_busy_behind_somebody_and_leaves_nothing) {
    enter_queue(3, {other_name(1), other_name(2)});
    expect_failed(errc::busy);
    EXPECT_EQ(session.times_told<position_known>(), 0U);
    EXPECT_EQ(session.count<get_op>(), 0U) << "nothing is watched";
    EXPECT_EQ(session.op<remove_op>(), (remove_op{"/q/" + own}));
    send_ok<remove_op>();
    expect_gone();
}

// ---- missing parent znodes ------------------------------------------------------------------

class contender_parents : public test::contender_fixture {
protected:
    contender_parents() : contender_fixture{{"/a/b/c", ""}} { lock.start(session.event()); }

    // Answers two requests with the error that a parent znode is missing: the request to create the contender's znode,
    // and the request for the folder's children.
    void parent_is_missing() {
        create_answers(server_error::no_node);
        if (session.count<children_op>() > 0) send_error<children_op>(server_error::no_node);
    }
    std::vector<std::string> asked_parents() const {
        std::vector<std::string> paths;
        for (const auto& request : session.open)
            paths.push_back(std::get<create_op>(request.op).path);
        return paths;
    }
    void parents_answer(const std::vector<server_error>& errors) {
        for (const auto error : errors) send_error<create_op>(error);
    }
};

TEST_F(contender_parents, are_made_as_containers_and_the_create_sent_again) {
    parent_is_missing();
    EXPECT_THAT(asked_parents(), ElementsAre("/a", "/a/b", "/a/b/c"));
    for (const auto& request : session.open)
        EXPECT_EQ(std::get<create_op>(request.op).mode, create_mode::container);
    parents_answer({server_error::node_exists, server_error::ok});
    EXPECT_EQ(session.count<children_op>(), 0U) << "one answer is still missing";
    parents_answer({server_error::ok});
    EXPECT_EQ(session.guids.size(), 2U) << "each create has a GUID of its own";
    create_answers_ok(0);
    list_answers({own});
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_parents, are_persistent_where_the_server_knows_no_containers) {
    parent_is_missing();
    parents_answer(
        {server_error::unimplemented, server_error::unimplemented, server_error::unimplemented});
    EXPECT_FALSE(session.knows_containers);
    parent_is_missing();
    for (const auto& request : session.open)
        EXPECT_EQ(std::get<create_op>(request.op).mode, create_mode::persistent);
    parents_answer({server_error::ok, server_error::ok, server_error::ok});
    create_answers_ok(0);
    list_answers({own});
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_parents, are_made_again_when_they_are_reaped_but_not_for_ever) {
    int rounds = 0;
    while (lock.waits() && rounds < 100) {
        parent_is_missing();
        if (!lock.waits()) break;
        ++rounds;
        parents_answer({server_error::ok, server_error::ok, server_error::ok});
    }
    EXPECT_EQ(rounds, 16);
    expect_failed(errc::protocol);
    expect_gone();
}

TEST_F(contender_parents, say_that_the_chroot_is_missing) {
    parent_is_missing();
    parents_answer({server_error::no_node, server_error::no_node, server_error::no_node});
    EXPECT_TRUE(lock.waits()) << "somebody may have made it meanwhile";
    parent_is_missing();
    expect_failed(errc::no_chroot);
    expect_gone();
}

TEST_F(contender_parents, may_be_there_already_where_we_may_not_make_them) {
    parent_is_missing();
    parents_answer({server_error::no_auth, server_error::no_auth, server_error::node_exists});
    create_answers_ok(0);
    list_answers({own});
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_parents, fail_where_we_may_not_make_them) {
    parent_is_missing();
    parents_answer({server_error::no_auth, server_error::no_node, server_error::no_node});
    parent_is_missing();
    expect_failed(errc::no_permission);
    expect_gone();
}

TEST_F(contender_parents, fail_under_an_ephemeral_znode) {
    parent_is_missing();
    parents_answer({server_error::node_exists, server_error::no_children_for_ephemerals,
                    server_error::no_node});
    parent_is_missing();
    expect_failed(errc::bad_path);
    expect_gone();
}

TEST_F(contender_parents, fail_with_an_acl_that_the_servers_refuse) {
    parent_is_missing();
    parents_answer({server_error::invalid_acl, server_error::no_node, server_error::no_node});
    parent_is_missing();
    expect_failed(errc::bad_option);
}

TEST_F(contender_parents, are_asked_for_again_after_the_connection_broke) {
    parent_is_missing();
    detach();
    EXPECT_THAT(session.open, IsEmpty());
    attach();
    EXPECT_EQ(session.count<create_op>(), 1U);
    EXPECT_EQ(session.count<children_op>(), 1U);
}

TEST_F(contender_parents, are_not_made_for_somebody_who_left) {
    lock.leave(session.event(), k_timed_out);
    parent_is_missing();
    EXPECT_THAT(session.open, IsEmpty());
    expect_gone();
}

TEST_F(contender_parents, end_before_somebody_who_leaves_is_gone) {
    parent_is_missing();
    lock.leave(session.event(), k_timed_out);
    expect_failed(errc::timeout);
    EXPECT_FALSE(lock.over());
    parents_answer({server_error::ok, server_error::ok, server_error::ok});
    EXPECT_THAT(session.open, IsEmpty());
    expect_gone();
}

// ---- refusals -------------------------------------------------------------------------------

TEST_F(contender_enter, fails_when_the_create_is_refused_for_good) {
    const std::vector<std::pair<server_error, errc>> refusals{
        {server_error::no_auth, errc::no_permission},
        {server_error::invalid_acl, errc::bad_option},
        {server_error::auth_failed, errc::auth_failed},
        {server_error::no_children_for_ephemerals, errc::bad_path},
        {server_error::unimplemented, errc::server_too_old},
        {server_error::bad_arguments, errc::bad_path},
        {server_error::other, errc::protocol},
    };
    for (const auto& [refusal, code] : refusals) {
        session = {};
        lock = contender_core{{"/q", ""}};
        lock.start(session.event());
        create_answers(refusal);
        expect_failed(code);
        expect_gone();
        EXPECT_EQ(session.count<create_op>(), 0U);
    }
}

TEST_F(contender_enter, waits_for_a_better_server_after_a_read_only_one) {
    lock.start(session.event());
    create_answers(server_error::not_read_only);
    EXPECT_EQ(session.count<create_op>(), 0U);
    detach();
    attach();
    EXPECT_EQ(session.count<create_op>(), 1U);
    EXPECT_THAT(session.told, IsEmpty());
}

TEST_F(contender_enter, sends_again_what_never_left) {
    lock.start(session.event());
    detach(outcome::not_sent);
    attach();
    EXPECT_EQ(session.sent.size(), 4U);
    EXPECT_EQ(session.count<multi_op>(), 0U) << "there is nothing to find out";
    create_answers_ok(0);
    list_answers({own});
    EXPECT_TRUE(lock.holds());
}

}  // namespace
}  // namespace turnstile::core
