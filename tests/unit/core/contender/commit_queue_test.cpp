// SPDX-License-Identifier: Apache-2.0
// The commits of a hold in their order: each caller is told once.
#include "core/contender/commit_queue.hpp"

#include <gtest/gtest.h>

#include "guarded_write_fixture.hpp"

namespace turnstile::core {
namespace {

class commits_of_a_hold : public ::testing::Test {
protected:
    static constexpr acquisition_id k_three{3};
    fake_session session;
    commit_queue queue;

    void add(acquisition_id id) { queue.add(id, {set_op{"/counter", "7", 3}}, {}); }
    void add_three() {
        add(k_one);
        add(k_two);
        add(k_three);
    }
};

TEST_F(commits_of_a_hold, are_finished_in_the_order_in_which_they_came) {
    add_three();
    EXPECT_TRUE(queue.is_front(k_one));
    queue.finish_front(session, committed{});
    EXPECT_TRUE(session.succeeded(k_one));
    EXPECT_TRUE(queue.is_front(k_two));
    EXPECT_FALSE(queue.is_awaited(k_one));
}

TEST_F(commits_of_a_hold, an_answered_caller_is_not_told_again) {
    add(k_one);
    queue.answer(session, k_one, errc::timeout);
    EXPECT_FALSE(queue.is_awaited(k_one));
    EXPECT_TRUE(queue.is_front(k_one));  // its outcome is still to be found out
    queue.finish_front(session, committed{});
    EXPECT_EQ(session.why(k_one), errc::timeout);
    EXPECT_TRUE(queue.empty());
}

TEST_F(commits_of_a_hold, the_first_goes_only_if_its_caller_has_given_up) {
    add(k_one);
    queue.drop_answered_front();
    EXPECT_TRUE(queue.is_front(k_one));
    queue.answer(session, k_one, errc::cancelled);
    queue.drop_answered_front();
    EXPECT_TRUE(queue.empty());
    queue.drop_answered_front();  // of none: nothing
}

TEST_F(commits_of_a_hold, those_behind_fail_and_the_first_stays) {
    add_three();
    queue.answer(session, k_two, errc::timeout);
    queue.fail_behind(session, 1, errc::session_lost);
    EXPECT_TRUE(queue.is_awaited(k_one));
    EXPECT_EQ(session.why(k_two), errc::timeout);
    EXPECT_EQ(session.why(k_three), errc::session_lost);
    queue.fail_behind(session, 0, errc::closed);
    EXPECT_EQ(session.why(k_one), errc::closed);
    EXPECT_TRUE(queue.empty());
}

TEST_F(commits_of_a_hold, one_in_the_middle_fails_by_itself) {
    add_three();
    queue.fail(session, k_two, errc::cancelled);
    EXPECT_EQ(session.why(k_two), errc::cancelled);
    queue.finish_front(session, committed{});
    EXPECT_TRUE(queue.is_front(k_three));
}

}  // namespace
}  // namespace turnstile::core
