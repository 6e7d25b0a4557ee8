// SPDX-License-Identifier: Apache-2.0
// Tests renaming a hold's znode without a change of its position in the queue (failure F10), with and without lost
// answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/support/contender_fixture.hpp"

namespace turnstile::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

contender_settings for_writer() {
    contender_settings result{"/q", "data"};
    result.wants = {claim_kind::write};
    return result;
}

class contender_rename : public test::contender_fixture {
protected:
    contender_rename() : contender_fixture{for_writer()} {}

    static constexpr std::int64_t k_pzxid = 0x500000009;

    void hold_as_writer() {
        lock.start(session.event());
        create_answers_ok(5);
        auto answer = session.reply_to<children_op>();
        answer.children = {own};
        answer.stat.pzxid = k_pzxid;
        lock.on_reply(session.event(), answer);
        ASSERT_TRUE(lock.holds());
        session.told.clear();
    }
    [[nodiscard]] std::string renamed_to(claim_kind kind) const {
        return renamed_contender(own, kind);
    }
    [[nodiscard]] operation request(std::int32_t version = 0) const {
        return multi_op{
            {remove_op{"/q/" + own, version},
             create_op{"/q/" + renamed_to(claim_kind::read), "data", create_mode::ephemeral}}};
    }
    void start_rename() {
        hold_as_writer();
        lock.rename(session.event(), claim_kind::read);
        ASSERT_EQ(session.count<multi_op>(), 1U);
    }
    void own_answers(std::int32_t version, const std::string& data = "data") {
        auto answer = session.reply_to<get_op>();
        answer.data = data;
        answer.stat.version = version;
        lock.on_reply(session.event(), answer);
    }
    void expect_renamed() {
        const auto* told = session.last_told<renamed>();
        ASSERT_NE(told, nullptr);
        EXPECT_FALSE(told->refused);
        EXPECT_EQ(told->znode, "/q/" + renamed_to(claim_kind::read));
        EXPECT_EQ(told->token, (fencing_token{k_pzxid, 1}));
        EXPECT_EQ(session.times_told<renamed>(), 1U);
        EXPECT_EQ(lock.znode(), told->znode);
        EXPECT_EQ(version_in(lock.current()), 0);
        EXPECT_EQ(lock.kind(), claim_kind::read);
        EXPECT_TRUE(lock.holds());
    }
};

TEST_F(contender_rename, is_one_transaction_that_leaves_no_gap) {
    hold_as_writer();
    lock.rename(session.event(), claim_kind::read);
    ASSERT_EQ(session.open.size(), 1U);
    EXPECT_EQ(session.open[0].op, request());
    EXPECT_EQ(session.times_told<renamed>(), 0U);
    send_ok<multi_op>();
    expect_renamed();
}

TEST_F(contender_rename, can_be_done_again) {
    hold_as_writer();
    lock.rename(session.event(), claim_kind::upgradable);
    send_ok<multi_op>();
    lock.rename(session.event(), claim_kind::read);
    send_ok<multi_op>();
    EXPECT_EQ(session.last_told<renamed>()->token, (fencing_token{k_pzxid, 2}));
    EXPECT_EQ(lock.znode(), "/q/" + renamed_to(claim_kind::read));
}

// The transaction deletes the old name. The event of that deletion arrives before the transaction's answer.
TEST_F(contender_rename, the_deletion_of_the_old_name_is_no_loss) {
    hold_as_writer();
    lock.watch_own_znode(session.event());
    own_answers(0);
    lock.rename(session.event(), claim_kind::read);
    watch_fires(watch_kind::deleted, "/q/" + own);
    EXPECT_TRUE(lock.holds());
    send_ok<multi_op>();
    expect_renamed();
    EXPECT_EQ(session.times_told<lost>(), 0U);
    EXPECT_THAT(session.watched, IsEmpty());
    lock.watch_own_znode(session.event());
    EXPECT_THAT(session.watched, ElementsAre(lock.znode()));
    EXPECT_EQ(session.op<get_op>().path, lock.znode());
}

TEST_F(contender_rename, waits_until_its_own_znode_was_read) {
    hold_as_writer();
    lock.watch_own_znode(session.event());
    lock.rename(session.event(), claim_kind::read);
    EXPECT_EQ(session.count<multi_op>(), 0U);
    own_answers(3);
    EXPECT_EQ(session.open[0].op, request(3));
}

TEST_F(contender_rename, applies_what_somebody_else_wrote_and_tries_again) {
    start_rename();
    send_error<multi_op>(server_error::bad_version);
    own_answers(2, "data revoke=ask by=ops why=stuck");
    EXPECT_EQ(session.times_told<asked_to_release>(), 1U);
    ASSERT_EQ(session.open.size(), 1U);
    EXPECT_EQ(session.open[0].op, request(2));
    send_ok<multi_op>();
    expect_renamed();
}

TEST_F(contender_rename, ends_where_the_hold_was_taken_away) {
    start_rename();
    send_error<multi_op>(server_error::bad_version);
    own_answers(2, "data revoke=take by=ops why=stuck");
    expect_lost(errc::revoked);
    EXPECT_EQ(session.op<remove_op>().path, "/q/" + own);
}

// The contender has no permission to read the znode's new version, so the servers would refuse each further attempt.
TEST_F(contender_rename, ends_where_what_another_client_wrote_may_not_be_read) {
    start_rename();
    send_error<multi_op>(server_error::bad_version);
    send_error<get_op>(server_error::no_auth);
    const auto* told = session.last_told<renamed>();
    ASSERT_NE(told, nullptr);
    EXPECT_EQ(told->refused.value(), errc::no_permission);
    EXPECT_EQ(session.count<multi_op>(), 0U);
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_rename, of_a_znode_that_is_gone_is_loss) {
    start_rename();
    send_error<multi_op>(server_error::no_node);
    expect_lost(errc::removed);
    expect_gone();
}

TEST_F(contender_rename, that_is_forbidden_leaves_the_hold_as_it_was) {
    start_rename();
    send_error<multi_op>(server_error::no_auth);
    const auto* told = session.last_told<renamed>();
    ASSERT_NE(told, nullptr);
    EXPECT_EQ(told->refused.value(), errc::no_permission);
    EXPECT_EQ(told->znode, "/q/" + own);
    EXPECT_EQ(told->token, fencing_token{k_pzxid});
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_rename, is_for_holders) {
    lock.start(session.event());
    lock.rename(session.event(), claim_kind::read);
    EXPECT_EQ(session.times_told<renamed>(), 0U) << "what is not held has been told of already";
    EXPECT_EQ(session.count<multi_op>(), 0U);
}

// ---- lost answers to a rename ---------------------------------------------------------------

class contender_rename_lost : public contender_rename {
protected:
    void SetUp() override {
        start_rename();
        detach();
        attach();
        ASSERT_EQ(session.op<set_op>(), (set_op{lock.znode(), "data", 0}))
            << "a late transaction cannot commit behind it";
    }
    void the_old_name_has_gone() { send_error<set_op>(server_error::no_node); }
    void the_old_name_stands() {
        auto answer = session.reply_to<set_op>();
        answer.stat.version = 1;
        lock.on_reply(session.event(), answer);
    }
};

TEST_F(contender_rename_lost, and_the_new_name_stands) {
    the_old_name_has_gone();
    list_answers({renamed_to(claim_kind::read)});
    expect_renamed();
}

// In a history of the simulator, the new connection's server still had the rename with the lost answer. This server
// forwarded the rename to the leader only after the release of the hold.
TEST_F(contender_rename_lost, and_the_old_name_stands) {
    the_old_name_stands();
    auto again = std::get<multi_op>(request());
    std::get<remove_op>(again.parts.front()).version = 1;
    EXPECT_EQ(session.op<multi_op>(), again) << "the first one knew another version";
    send_ok<multi_op>();
    expect_renamed();
}

TEST_F(contender_rename_lost, and_somebody_has_written_into_the_old_name) {
    send_error<set_op>(server_error::bad_version);
    EXPECT_EQ(session.count<multi_op>(), 0U) << "applied first";
    own_get_answers(2);
    auto again = std::get<multi_op>(request());
    std::get<remove_op>(again.parts.front()).version = 2;
    EXPECT_EQ(session.op<multi_op>(), again);
}

TEST_F(contender_rename_lost, and_neither_stands) {
    the_old_name_has_gone();
    list_answers({});
    expect_lost(errc::removed);
    expect_gone();
}

TEST_F(contender_rename_lost, and_the_link_breaks_again) {
    detach();
    attach();
    the_old_name_has_gone();
    list_answers({renamed_to(claim_kind::read)});
    expect_renamed();
}

// A write that is older than a rename cannot stop a late commit of that rename. Only a later write can stop it.
TEST_F(contender_rename_lost, and_then_that_of_the_next_one_on_the_same_connection) {
    the_old_name_has_gone();
    list_answers({renamed_to(claim_kind::read)});
    expect_renamed();
    lock.rename(session.event(), claim_kind::write);
    send_error<multi_op>(server_error::session_moved);
    lock.on_attached(session.event());
    EXPECT_EQ(session.count<children_op>(), 0U);
    EXPECT_EQ(session.op<set_op>().path, lock.znode());
}

TEST_F(contender_rename_lost, and_the_hold_is_given_up_under_the_name_that_stands) {
    lock.leave(session.event(), {errc::cancelled});
    the_old_name_has_gone();
    list_answers({renamed_to(claim_kind::read)});
    EXPECT_EQ(session.op<remove_op>().path, "/q/" + renamed_to(claim_kind::read));
    send_ok<remove_op>();
    expect_gone();
}

// ---- events while the rename is in progress -------------------------------------------------

TEST_F(contender_rename, a_release_waits_for_the_answer) {
    start_rename();
    lock.leave(session.event(), {errc::cancelled});
    EXPECT_EQ(session.count<remove_op>(), 0U);
    send_ok<multi_op>();
    EXPECT_EQ(session.op<remove_op>().path, "/q/" + renamed_to(claim_kind::read));
    send_ok<remove_op>();
    expect_gone();
}

TEST_F(contender_rename, the_end_of_the_session_is_loss) {
    start_rename();
    end_epoch();
    expect_lost(errc::session_lost);
    expect_gone();
}

TEST_F(contender_rename, the_end_of_the_lease_is_loss_and_the_znode_is_removed) {
    start_rename();
    lock.on_lease_end(session.event(), {errc::session_lost});
    expect_lost(errc::session_lost);
    send_ok<multi_op>();
    EXPECT_EQ(session.op<remove_op>().path, "/q/" + renamed_to(claim_kind::read));
}

// Failure F18: with a new name the contender would become the last of the contenders with equal numbers.
TEST_F(contender_rename, with_equal_numbers_the_old_name_stays) {
    const auto other = renamed_contender(
        "_c_ffffffff-0000-4000-8000-000000000000-__WRIT__0000000005", claim_kind::write);
    enter_queue(5, {other});
    get_answers(0x999, k_czxid + 1);
    ASSERT_TRUE(lock.holds());
    const auto before = session.last_told<granted>()->token;
    lock.rename(session.event(), claim_kind::read);
    EXPECT_THAT(session.open, IsEmpty());
    const auto* told = session.last_told<renamed>();
    ASSERT_NE(told, nullptr);
    EXPECT_FALSE(told->refused);
    EXPECT_EQ(told->znode, "/q/" + own);
    EXPECT_EQ(told->token, (fencing_token{before.zxid(), 1}));
}

}  // namespace
}  // namespace turnstile::core
