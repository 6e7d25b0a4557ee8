// SPDX-License-Identifier: Apache-2.0
// Tests that a hold's commits run in order, and that each caller gets one result.
#include "core/contender/commit_queue.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <variant>
#include <vector>

#include "guarded_write_fixture.hpp"

namespace turnstile::core {
namespace {

class commits_of_a_hold : public ::testing::Test {
protected:
    static constexpr commit_id k_three{3};
    fake_session session;
    commit_queue queue;
    std::vector<write_effect> told;

    void add(commit_id id) { queue.add(id, {set_op{"/counter", "7", 3}}, {}); }
    void finish_front(commit_outcome&& outcome) {
        queue.finish_front(std::move(outcome), told);
        tell();
    }
    void answer(commit_id id, const error& why) {
        queue.answer(id, why, told);
        tell();
    }
    void fail_behind(std::size_t kept, const error& why) {
        queue.fail_behind(kept, why, told);
        tell();
    }
    void fail(commit_id id, const error& why) {
        queue.fail(id, why, told);
        tell();
    }
    void tell() {
        for (auto& each : std::exchange(told, {}))
            session.tell(std::get<write_effects::tell_outcome>(std::move(each)));
    }
    void add_three() {
        add(k_one);
        add(k_two);
        add(k_three);
    }
};

TEST_F(commits_of_a_hold, are_finished_in_the_order_in_which_they_came) {
    add_three();
    EXPECT_TRUE(queue.is_front(k_one));
    finish_front(committed{});
    EXPECT_TRUE(session.succeeded(k_one));
    EXPECT_TRUE(queue.is_front(k_two));
    EXPECT_FALSE(queue.is_awaited(k_one));
}

TEST_F(commits_of_a_hold, an_answered_caller_is_not_told_again) {
    add(k_one);
    answer(k_one, errc::timeout);
    EXPECT_FALSE(queue.is_awaited(k_one));
    EXPECT_TRUE(queue.is_front(k_one));  // the outcome of the first commit is unknown
    finish_front(committed{});
    EXPECT_EQ(session.why(k_one), errc::timeout);
    EXPECT_TRUE(queue.empty());
}

TEST_F(commits_of_a_hold, the_first_goes_only_if_its_caller_has_given_up) {
    add(k_one);
    queue.drop_answered_front();
    EXPECT_TRUE(queue.is_front(k_one));
    answer(k_one, errc::cancelled);
    queue.drop_answered_front();
    EXPECT_TRUE(queue.empty());
    queue.drop_answered_front();  // no effect, because the first commit has no answer yet
}

TEST_F(commits_of_a_hold, those_behind_fail_and_the_first_stays) {
    add_three();
    answer(k_two, errc::timeout);
    fail_behind(1, errc::session_lost);
    EXPECT_TRUE(queue.is_awaited(k_one));
    EXPECT_EQ(session.why(k_two), errc::timeout);
    EXPECT_EQ(session.why(k_three), errc::session_lost);
    fail_behind(0, errc::closed);
    EXPECT_EQ(session.why(k_one), errc::closed);
    EXPECT_TRUE(queue.empty());
}

TEST_F(commits_of_a_hold, one_in_the_middle_fails_by_itself) {
    add_three();
    fail(k_two, errc::cancelled);
    EXPECT_EQ(session.why(k_two), errc::cancelled);
    finish_front(committed{});
    EXPECT_TRUE(queue.is_front(k_three));
}

}  // namespace
}  // namespace turnstile::core
