// SPDX-License-Identifier: Apache-2.0
// Tests the commits of a session's holds, before and after releases, losses, deadlines and the close.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;

class session_commits : public test::session_fixture {
protected:
    static constexpr commit_id k_commit{10};
    static constexpr commit_id k_other{11};
    std::string znode;

    void SetUp() override {
        start_attached();
        znode = take_lock(k_ann);
        answer_all_ok();
    }
    void commit(commit_id id = k_commit, std::optional<time_point> deadline = {}) {
        on(core::commit{id, k_ann, {set_op{"/counter", "1"}}, deadline});
    }
    [[nodiscard]] errc why(commit_id id) const {
        for (const auto& commit : commits)
            if (commit.id == id)
                return std::holds_alternative<error>(commit.outcome)
                           ? std::get<error>(commit.outcome).code()
                           : errc{};
        ADD_FAILURE() << "not told";
        return {};
    }
    [[nodiscard]] bool told_commit(commit_id id) const {
        return std::any_of(commits.begin(), commits.end(),
                           [id](const auto& entry) { return entry.id == id; });
    }
    void reattach() {
        detach();
        attach();
    }
    void answer_read(std::int32_t version) {
        if (op<get_op>().watch == watch_mode::watch) answer<get_op>();
        auto reply = reply_to<get_op>();
        reply.stat.version = version;
        on_event(std::move(reply));
    }
};

TEST_F(session_commits, a_commit_of_a_hold_is_sent_and_told) {
    commit();
    EXPECT_EQ(op<multi_op>(), (multi_op{{set_op{znode, "", 0}, set_op{"/counter", "1"}}}));
    answer<multi_op>();
    ASSERT_EQ(commits.size(), 1U);
    EXPECT_TRUE(std::holds_alternative<committed>(commits.front().outcome));
}

TEST_F(session_commits, without_a_hold_nothing_is_sent) {
    on(core::commit{k_commit, k_bob, {set_op{"/counter", "1"}}, {}});
    EXPECT_EQ(why(k_commit), errc::not_held);
    leave(k_ann);
    on(core::commit{k_other, k_ann, {set_op{"/counter", "1"}}, {}});
    EXPECT_EQ(why(k_other), errc::not_held);
    EXPECT_EQ(count<multi_op>(), 0U);
}

TEST_F(session_commits, the_hold_is_released_after_its_commits) {
    commit();
    commit(k_other);
    leave(k_ann);
    EXPECT_EQ(count<remove_op>(), 0U);
    answer<multi_op>();
    EXPECT_EQ(count<remove_op>(), 0U);
    answer<multi_op>();
    EXPECT_EQ(op<remove_op>(), remove_op{znode});
    answer_all_ok();
    EXPECT_EQ(told<gone>(k_ann), 1U);
    EXPECT_TRUE(session.idle());
}

TEST_F(session_commits, a_hold_that_is_being_released_takes_no_more) {
    commit();
    leave(k_ann);
    commit(k_other);
    EXPECT_EQ(why(k_other), errc::not_held);
}

TEST_F(session_commits, a_lost_answer_is_found_out_before_the_release) {
    commit();
    leave(k_ann);
    reattach();
    ASSERT_GE(count<get_op>(), 1U);  // the first get belongs to the commit
    EXPECT_EQ(count<remove_op>(), 0U);
    // Answers the write that stops the unanswered commit.
    answer<multi_op>(server_error::bad_version);
    answer_read(1);
    EXPECT_EQ(why(k_commit), errc{});
    EXPECT_EQ(op<remove_op>(), remove_op{znode});
}

// The servers may expire a session whose lease has ended, even if they still answer its requests.
TEST_F(session_commits, a_lease_that_ran_out_while_away_ends_what_is_open) {
    commit();
    detach();
    pass(k_timeout);
    EXPECT_EQ(told<lost>(k_ann), 1U);
    EXPECT_FALSE(told_commit(k_commit));
    attach();
    EXPECT_EQ(why(k_commit), errc::outcome_unknown);
    EXPECT_EQ(count<multi_op>(), 0U);
}

TEST_F(session_commits, a_commit_that_was_not_sent_fails_with_the_loss_of_its_hold) {
    commit();
    commit(k_other);
    detach();
    pass(k_timeout);
    EXPECT_EQ(told<lost>(k_ann), 1U);
    ASSERT_TRUE(told_commit(k_other)) << "at once, without another session";
    EXPECT_EQ(why(k_other), errc::session_lost);
    EXPECT_FALSE(told_commit(k_commit)) << "that one was sent";
}

TEST_F(session_commits, expiry_ends_what_is_open) {
    commit();
    commit(k_other);
    expire();
    EXPECT_EQ(why(k_commit), errc::outcome_unknown);
    EXPECT_EQ(why(k_other), errc::session_lost);
    EXPECT_TRUE(session.idle());
}

TEST_F(session_commits, deadlines_end_the_wait) {
    detach();
    commit(k_commit, now + 1s);
    pass(1s);
    EXPECT_EQ(why(k_commit), errc::not_connected);
    attach();
    commit(k_other, now + 1s);
    pass(1s);
    EXPECT_EQ(why(k_other), errc::outcome_unknown);
    answer_all_ok();
    EXPECT_EQ(commits.size(), 2U);
}

TEST_F(session_commits, giving_up_ends_the_wait) {
    commit();
    on(cancel{k_commit, errc::cancelled});
    EXPECT_EQ(why(k_commit), errc::outcome_unknown);
}

// Closing the client also ended the hold, but the commit's error must name the close.
TEST_F(session_commits, after_the_close_the_answer_is_that) {
    on(close{});
    commit();
    EXPECT_EQ(why(k_commit), errc::closed);
}

TEST_F(session_commits, closing_waits_for_the_answer) {
    commit();
    on(close{});
    EXPECT_FALSE(session.idle());
    answer<multi_op>();
    EXPECT_EQ(why(k_commit), errc{});
    answer_all_ok();
    EXPECT_TRUE(session.idle());
}

TEST_F(session_commits, closing_without_servers_leaves_it_unknown) {
    commit();
    detach();
    on(close{});
    on(session_closed{});
    EXPECT_EQ(why(k_commit), errc::outcome_unknown);
    EXPECT_TRUE(session.idle());
}

TEST_F(session_commits, requests_that_come_to_nothing_are_tried_again_after_a_pause) {
    commit();
    auto lost = reply_to<multi_op>();
    lost.outcome = outcome::unknown;
    on_event(std::move(lost));
    answer<get_op>();  // answers the get that watches the hold's own znode
    EXPECT_EQ(count<get_op>(), 0U);
    pass(k_timeout / 5);
    EXPECT_GE(count<get_op>(), 1U);
}

}  // namespace
}  // namespace turnstile::core
