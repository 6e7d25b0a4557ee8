// SPDX-License-Identifier: Apache-2.0
// Tests the commits of one hold: the requests, and each caller's result when answers are lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "guarded_write_fixture.hpp"

namespace turnstile::core {
namespace {

using ::testing::ElementsAre;

TEST_F(guarded_write, sets_the_own_znode_first_and_knows_its_version) {
    add(k_one);
    EXPECT_EQ(first(), expected(k_version));
    EXPECT_EQ(session.version, k_any_version);  // unknown until the answer arrives
    answer(server_error::ok);
    EXPECT_TRUE(session.succeeded(k_one));
    EXPECT_EQ(session.version, k_version + 1);
    EXPECT_TRUE(writes.empty());
}

TEST_F(guarded_write, one_follows_the_other) {
    add(k_one);
    add(k_two);
    EXPECT_EQ(session.open.size(), 1U);
    answer(server_error::ok);
    EXPECT_EQ(first(), expected(k_version + 1));
    answer(server_error::ok);
    EXPECT_TRUE(session.succeeded(k_two));
    EXPECT_EQ(session.version, k_version + 2);
}

TEST_F(guarded_write, created_names_are_told_without_the_own_znode) {
    add(k_one, {create_op{"/a/n-", "", create_mode::persistent_sequential}});
    auto reply = answer_to_first();
    reply.paths = {"", "/a/n-0000000007"};
    give(reply);
    const auto& done = std::get<committed>(session.told.at(k_one));
    EXPECT_THAT(*done.paths, ElementsAre("/a/n-0000000007"));
}

TEST_F(guarded_write, a_refusal_names_the_part) {
    add(k_one);
    answer(server_error::bad_version, {server_error::ok, server_error::bad_version});
    EXPECT_EQ(session.why(k_one), errc::bad_version);
    const auto& why = std::get<error>(session.told.at(k_one));
    EXPECT_EQ(why.part(), 0U);
    EXPECT_NE(why.message().find("part 0 (set \"/counter\", version 3)"), std::string::npos);
    EXPECT_EQ(session.version, k_version);
    EXPECT_TRUE(writes.empty());
}

TEST_F(guarded_write, without_the_own_znode_nothing_is_written) {
    add(k_one);
    answer(server_error::no_node, {server_error::no_node, server_error::rolled_back});
    EXPECT_EQ(session.why(k_one), errc::removed);
}

TEST_F(guarded_write, who_wrote_into_the_znode_is_applied_before_it_is_tried_again) {
    add(k_one);
    answer(server_error::bad_version, {server_error::bad_version, server_error::rolled_back});
    EXPECT_EQ(first(), operation{get_op{k_znode}});
    answer_read(9, "asked to release");
    EXPECT_EQ(first(), expected(9));
    EXPECT_TRUE(session.told.empty());
}

TEST_F(guarded_write, a_hold_that_is_taken_away_writes_no_more) {
    add(k_one);
    session.lost_by_applying = true;
    answer(server_error::bad_version, {server_error::bad_version, server_error::rolled_back});
    answer_read(9, "taken");
    EXPECT_EQ(session.why(k_one), errc::revoked);
    EXPECT_TRUE(session.open.empty());
    EXPECT_TRUE(writes.empty());
}

// Another client wrote into the znode and removed the client's READ permission. The client must report the missing
// permission, and must not repeat the read without end.
TEST_F(guarded_write, a_hold_that_may_not_read_its_znode_is_told_so) {
    add(k_one);
    answer(server_error::bad_version, {server_error::bad_version, server_error::rolled_back});
    answer(server_error::no_auth);
    EXPECT_EQ(session.why(k_one), errc::no_permission);
    EXPECT_TRUE(session.open.empty());
    EXPECT_TRUE(writes.empty());
}

TEST_F(guarded_write, a_look_that_is_refused_for_now_is_repeated_later) {
    add(k_one);
    answer(server_error::bad_version, {server_error::bad_version, server_error::rolled_back});
    answer(server_error::other);
    EXPECT_TRUE(session.open.empty()) << "not at once";
    EXPECT_TRUE(session.told.empty());
    reattach();
    EXPECT_EQ(first(), operation{get_op{k_znode}});
}

TEST_F(guarded_write, what_may_not_be_read_after_a_fence_stays_unknown) {
    add(k_one);
    lose_and_reattach();
    answer(server_error::bad_version);
    answer(server_error::no_auth);
    EXPECT_EQ(session.why(k_one), errc::outcome_unknown);
    const auto& why = std::get<error>(session.told.at(k_one));
    EXPECT_NE(why.message().find("cannot be read, because an ACL forbids it"), std::string::npos);
}

TEST_F(guarded_write, a_resolution_that_is_refused_for_now_is_repeated_later) {
    add(k_one);
    lose_and_reattach();
    answer(server_error::bad_version);
    answer(server_error::other);
    EXPECT_TRUE(session.open.empty()) << "not at once";
    EXPECT_TRUE(session.told.empty());
    reattach();
    EXPECT_EQ(first(), fence(k_version));
}

TEST_F(guarded_write, who_gives_up_after_a_refusal_is_told_that_nothing_was_written) {
    add(k_one);
    answer(server_error::bad_version, {server_error::bad_version, server_error::rolled_back});
    cancel(k_one, errc::timeout);
    EXPECT_EQ(session.why(k_one), errc::timeout);
    answer_read(9);
    EXPECT_TRUE(session.open.empty());
    EXPECT_TRUE(writes.empty());
}

TEST_F(guarded_write, waits_until_the_hold_has_done_with_its_znode) {
    session.settled = false;
    add(k_one);
    EXPECT_TRUE(session.open.empty());
    EXPECT_TRUE(writes.waits(session.view()));
    session.settled = true;
    proceed();
    EXPECT_EQ(first(), expected(k_version));
}

TEST_F(guarded_write, what_was_never_sent_is_sent_later) {
    add(k_one);
    session.is_attached = false;
    lose(outcome::not_sent);
    EXPECT_EQ(session.version, k_version);
    reattach();
    EXPECT_EQ(first(), expected(k_version));
    EXPECT_TRUE(session.told.empty());
}

TEST_F(guarded_write, a_lost_answer_is_found_out_about_behind_a_fence) {
    add(k_one);
    lose_and_reattach();
    ASSERT_EQ(session.open.size(), 2U);
    EXPECT_EQ(first(), fence(k_version));
    EXPECT_EQ(session.open[1].op, operation{get_op{k_znode}});
    EXPECT_TRUE(session.told.empty());
    answer_resolution(server_error::bad_version, k_version + 1);
    ASSERT_TRUE(session.succeeded(k_one));
    EXPECT_FALSE(std::get<committed>(session.told.at(k_one)).paths);
    EXPECT_EQ(session.version, k_version + 1);
}

TEST_F(guarded_write, what_the_fence_kept_out_is_sent_again) {
    add(k_one);
    lose_and_reattach();
    answer_resolution(server_error::ok, k_version + 2);
    EXPECT_EQ(first(), expected(k_version + 2));
    answer(server_error::ok);
    EXPECT_TRUE(session.succeeded(k_one));
    EXPECT_EQ(session.version, k_version + 3);
}

TEST_F(guarded_write, a_lost_resolution_is_begun_again) {
    add(k_one);
    lose_and_reattach();
    // The answer to the fence (the write that stops the commit) is lost; the servers may have executed the fence.
    lose();
    lose_and_reattach();
    EXPECT_EQ(first(), fence(k_version));
    // The servers had executed the first fence (the write after which the unanswered commit cannot succeed). So they
    // refuse the second fence, whose version is outdated.
    answer_resolution(server_error::bad_version, k_version + 2);
    EXPECT_EQ(first(), expected(k_version + 2));
}

TEST_F(guarded_write, a_fence_that_came_to_nothing_proves_nothing) {
    add(k_one);
    lose_and_reattach();
    answer_resolution(server_error::session_moved, k_version);
    EXPECT_TRUE(session.told.empty());
    EXPECT_EQ(session.pauses, 2);  // the broken connection caused the first pause
    attached();
    EXPECT_EQ(first(), fence(k_version));
}

// The client may no longer write its znode, so the outcome stays unknown. The hold's release must not wait for endless
// reads.
TEST_F(guarded_write, what_may_not_be_written_any_more_stays_unknown) {
    add(k_one);
    lose_and_reattach();
    answer_resolution(server_error::no_auth, k_version);
    EXPECT_EQ(session.why(k_one), errc::outcome_unknown);
    EXPECT_EQ(session.version, k_version);
    EXPECT_TRUE(writes.empty());
}

TEST_F(guarded_write, nobody_knows_once_the_znode_is_gone_or_changed_by_others) {
    add(k_one);
    lose_and_reattach();
    answer(server_error::no_node);
    auto gone = answer_to_first();
    gone.error = server_error::no_node;
    give(gone);
    EXPECT_EQ(session.why(k_one), errc::outcome_unknown);
    add(k_two);
    lose_and_reattach();
    answer_resolution(server_error::bad_version, k_version + 1, "__REVOKE__");
    EXPECT_EQ(session.why(k_two), errc::outcome_unknown);
    EXPECT_EQ(session.known, k_version + 1);  // the servers executed the commit
}

TEST_F(guarded_write, the_end_of_the_session_leaves_it_unknown) {
    add(k_one);
    add(k_two);
    session.is_attached = false;
    lose();
    end_epoch(errc::session_lost);
    EXPECT_EQ(session.why(k_one), errc::outcome_unknown);
    EXPECT_EQ(session.why(k_two), errc::session_lost);  // this commit was never sent
    EXPECT_TRUE(writes.empty());
}

// In each of these states a request is in progress when the session ends. Late answers must have no effect.
TEST_F(guarded_write, answers_that_come_after_the_end_of_the_session_change_nothing) {
    const auto overtake = [this] {
        answer(server_error::bad_version, {server_error::bad_version, server_error::rolled_back});
    };
    const std::vector<std::pair<std::function<void()>, errc>> ways{
        {[] {}, errc::outcome_unknown},  // the commit is sent
        // The answer to the commit was lost, and the client is finding out the outcome.
        {[this] { lose_and_reattach(); }, errc::outcome_unknown},
        // Another client wrote first, so the servers refused this commit.
        {overtake, errc::session_lost},
    };
    for (const auto& [lead, told] : ways) {
        writes = {};
        session = {};
        add(k_one);
        lead();
        ASSERT_FALSE(session.open.empty());
        end_epoch(errc::session_lost);
        EXPECT_EQ(session.why(k_one), told);
        const auto version = session.version;
        while (!session.open.empty()) answer(server_error::ok);
        EXPECT_EQ(session.version, version);
        EXPECT_EQ(session.told.size(), 1U);
        EXPECT_TRUE(writes.empty());
    }
}

TEST_F(guarded_write, a_lost_hold_sends_nothing_more_and_finds_out_all_the_same) {
    add(k_one);
    add(k_two);
    session.is_attached = false;
    lose();
    end_hold(errc::session_lost);
    EXPECT_EQ(session.why(k_two), errc::session_lost);
    EXPECT_EQ(session.why(k_one), errc{});
    reattach();
    answer_resolution(server_error::ok, k_version + 2);
    // The servers have not executed the commit, and never will.
    EXPECT_EQ(session.why(k_one), errc::session_lost);
    EXPECT_TRUE(session.open.empty());
    EXPECT_TRUE(writes.empty());
}

TEST_F(guarded_write, who_gives_up_is_told_what_is_known) {
    session.is_attached = false;
    add(k_one);
    add(k_two);
    cancel(k_two, errc::timeout);
    EXPECT_EQ(session.why(k_two), errc::timeout);
    reattach();
    cancel(k_one, errc::timeout);
    EXPECT_EQ(session.why(k_one), errc::outcome_unknown);
    EXPECT_FALSE(writes.empty());  // the client must first read the version of the hold's znode
    lose_and_reattach();
    answer_resolution(server_error::ok, k_version + 2);
    EXPECT_TRUE(writes.empty());  // no caller waits any more
    EXPECT_EQ(session.version, k_version + 2);
}

TEST_F(guarded_write, an_answer_that_names_no_part_is_no_answer) {
    add(k_one);
    answer(server_error::other);
    EXPECT_TRUE(session.told.empty());
    attached();
    EXPECT_EQ(first(), fence(k_version));
}

TEST_F(guarded_write, late_answers_of_an_old_connection_do_not_park) {
    add(k_one);
    auto late = answer_to_first();
    late.outcome = outcome::unknown;
    reattach();
    give(late);
    EXPECT_EQ(first(), fence(k_version));
    EXPECT_EQ(session.pauses, 0);
}

}  // namespace
}  // namespace turnstile::core
