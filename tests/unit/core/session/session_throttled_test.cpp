// SPDX-License-Identifier: Apache-2.0
// Tests a server that discards requests without executing them ("request throttler", ZTHROTTLEDOP). The client sends
// all of them again after a pause, until the callers' deadlines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class session_throttled : public test::session_fixture {
protected:
    static constexpr duration k_first = 50ms;
    static constexpr duration k_longest = 5s;
    static constexpr int k_often = 100;
    static constexpr int k_within_a_lease = 5;  // number of the longest pauses that fit in a lease

    void throttle_all() {
        for (auto& entry : std::exchange(open, {})) {
            reply reply;
            reply.id = entry.request.id;
            reply.outcome = outcome::answered;
            reply.error = server_error::throttled;
            reply.connection = entry.connection;
            reply.sent = entry.sent;
            on_event(std::move(reply));
        }
    }
    template <class Op>
    void expect_again_after_a_pause() {
        ASSERT_GE(count<Op>(), 1U);
        throttle_all();
        EXPECT_EQ(count<Op>(), 0U) << "sent again at once";
        pass(k_first);
        EXPECT_EQ(count<Op>(), 1U);
    }
};

TEST_F(session_throttled, a_create_is_sent_again) {
    start_attached();
    acquire(k_ann);
    expect_again_after_a_pause<create_op>();
    answer_create_and_list(0);
    EXPECT_EQ(told<granted>(k_ann), 1U);
    EXPECT_EQ(told<failed>(k_ann), 0U);
}

TEST_F(session_throttled, a_create_does_not_rest_on_the_list_that_came_through) {
    start_attached();
    acquire(k_ann);
    answer<create_op>(server_error::throttled);
    auto listed = reply_to<children_op>();
    listed.children = {stranger(7)};
    on_event(std::move(listed));
    pass(k_first);
    EXPECT_EQ(count<create_op>(), 1U);
    EXPECT_EQ(count<children_op>(), 1U) << "a list behind the new create";
}

TEST_F(session_throttled, a_list_is_sent_again) {
    start_attached();
    acquire(k_ann);
    auto reply = reply_to<create_op>();
    reply.path = "/q/_c_x-lock-0000000000";
    reply.stat.ephemeral_owner = session_id;
    on_event(std::move(reply));
    expect_again_after_a_pause<children_op>();
    EXPECT_EQ(count<create_op>(), 0U);
}

TEST_F(session_throttled, a_removal_is_sent_again_however_often_and_keeps_the_session) {
    start_attached();
    const auto znode = take_lock(k_ann);
    leave(k_ann);
    for (int i = 0; i != k_within_a_lease; ++i) {
        throttle_all();
        pass(k_longest);
        ASSERT_EQ(op<remove_op>(), remove_op{znode}) << i;
    }
    answer_all_ok();
    EXPECT_EQ(told<gone>(k_ann), 1U);
    EXPECT_THAT(closed, SizeIs(0));
}

TEST_F(session_throttled, a_missing_parent_is_made_however_often_that_is_thrown_away) {
    start_attached();
    acquire(k_ann);
    for (int i = 0; i != k_often; ++i) {
        answer<create_op>(server_error::no_node);
        throttle_all();  // throttles the create of the parent
        pass(k_longest);
        ASSERT_EQ(op<create_op>().mode, create_mode::ephemeral_sequential) << i;
    }
    EXPECT_EQ(told<failed>(k_ann), 0U);
}

TEST_F(session_throttled, a_question_is_asked_again) {
    start_attached();
    on(read{k_question, children_op{"/q"}, {}});
    expect_again_after_a_pause<children_op>();
    answer_all_ok();
    EXPECT_THAT(answers, SizeIs(1));
}

TEST_F(session_throttled, a_confirmation_is_sent_again_and_moves_no_lease) {
    start_attached();
    take_lock(k_ann);
    answer_all_ok();
    const auto before = session.session_lease().valid_until();
    pass(k_timeout / 5);
    expect_again_after_a_pause<multi_op>();
    EXPECT_EQ(session.session_lease().valid_until(), before);
    answer_all_ok();
    EXPECT_GT(session.session_lease().valid_until(), before);
    EXPECT_EQ(told<lost>(k_ann), 0U);
}

TEST_F(session_throttled, a_commit_is_sent_again) {
    start_attached();
    take_lock(k_ann);
    on(commit{commit_id{7}, k_ann, {set_op{"/data", "x", k_any_version}}, {}});
    expect_again_after_a_pause<multi_op>();
    EXPECT_THAT(commits, SizeIs(0));
    answer_all_ok();
    ASSERT_THAT(commits, SizeIs(1));
    EXPECT_TRUE(std::holds_alternative<committed>(commits.front().outcome));
}

TEST_F(session_throttled, pauses_grow_and_begin_anew_after_an_answer) {
    start_attached();
    acquire(k_ann);
    // Advances the time from timer to timer until the session sends its request again, because other timers may be due
    // during the pause.
    const auto pause = [&] {
        throttle_all();
        const auto from = now;
        while (count<create_op>() + count<remove_op>() == 0 && now < from + k_timeout)
            pass(*session.next_deadline() - now);
        return now - from;
    };
    duration last{};
    for (int i = 0; i != 9; ++i) {
        last = pause();
        EXPECT_LE(last, k_longest);
        ASSERT_EQ(count<create_op>(), 1U) << i;
    }
    EXPECT_GE(last, k_longest / 2);
    answer_create_and_list(0);
    leave(k_ann);
    EXPECT_LE(pause(), k_first);
}

TEST_F(session_throttled, one_burst_is_one_pause) {
    start_attached();
    for (std::uint64_t i = 1; i <= k_often; ++i) acquire(contender_id{i});
    throttle_all();
    EXPECT_LE(*session.next_deadline() - now, k_first);
    EXPECT_THAT(warnings, SizeIs(1));
}

TEST_F(session_throttled, the_deadline_says_that_the_server_throttles) {
    start_attached();
    acquire(k_ann, 1s);
    for (int i = 0; i != k_often; ++i) {
        throttle_all();
        pass(20ms);
    }
    ASSERT_EQ(told<failed>(k_ann), 1U);
    for (const auto& notice : notices) {
        if (const auto* why = std::get_if<failed>(&notice.event)) {
            EXPECT_EQ(why->why.code(), errc::timeout);
            EXPECT_THAT(why->why.message(), HasSubstr("zk:2181, which throttles"));
        }
    }
}

TEST_F(session_throttled, a_used_up_quota_is_final_and_says_where) {
    start_attached();
    acquire(k_ann);
    answer<create_op>(server_error::quota_exceeded);
    ASSERT_EQ(told<failed>(k_ann), 1U);
    EXPECT_EQ(why<failed>(k_ann), errc::quota_exceeded);
    EXPECT_EQ(count<create_op>(), 0U);
    acquire(k_bob);
    answer<create_op>(server_error::no_node);
    answer<create_op>(server_error::quota_exceeded);  // answers the create of the parent
    answer<create_op>(server_error::no_node);
    EXPECT_EQ(why<failed>(k_bob), errc::quota_exceeded);
    for (const auto& notice : notices) {
        if (const auto* refused = std::get_if<failed>(&notice.event)) {
            EXPECT_THAT(refused->why.message(), HasSubstr("no znode below /q"));
            EXPECT_THAT(refused->why.message(), HasSubstr("/zookeeper/quota"));
            EXPECT_THAT(refused->why.message(), HasSubstr("a quota, or their memory"));
        }
    }
}

TEST_F(session_throttled, local_sessions_are_refused_with_the_setting_that_is_missing) {
    start_attached();
    acquire(k_ann);
    answer<create_op>(server_error::local_session);
    ASSERT_EQ(why<failed>(k_ann), errc::local_session);
}

}  // namespace
}  // namespace turnstile::core
