// SPDX-License-Identifier: Apache-2.0
// Tests callers' deadlines, cancelled calls, and queries of a lock's state. No call may hang (promise G7).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using test::at;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class session_deadlines : public test::session_fixture {
protected:
    std::string message_of_failure(contender_id id) const {
        for (const auto& notice : notices)
            if (const auto* found = std::get_if<failed>(&notice.event); found && notice.id == id)
                return found->why.message();
        return {};
    }
    void answer_children(names children) {
        auto listed = reply_to<children_op>();
        listed.children = std::move(children);
        on_event(std::move(listed));
    }
    // Answers the request that reads the znode ahead of the contender's znode.
    void show_ahead(const std::string& data, std::int64_t owner) {
        const auto asked = std::find_if(open.begin(), open.end(), [](const auto& entry) {
            const auto* get = std::get_if<get_op>(&entry.request.op);
            return get != nullptr && get->path == "/q/" + stranger(4);
        });
        ASSERT_NE(asked, open.end());
        auto read = answer_to(*asked);
        open.erase(asked);
        read.data = data;
        read.stat.ephemeral_owner = owner;
        on_event(std::move(read));
    }
};

TEST_F(session_deadlines, end_a_wait_at_their_instant) {
    start_attached();
    acquire(k_ann, 2s);
    const auto znode = answer_create_and_list(5, {stranger(3), stranger(4)});
    answer_all_ok();
    EXPECT_EQ(session.next_deadline(), at(2s));
    pass_until(at(2s - 1ns));
    EXPECT_EQ(told<failed>(k_ann), 0U);
    pass(1ns);
    EXPECT_EQ(why<failed>(k_ann), errc::timeout);
    EXPECT_THAT(message_of_failure(k_ann), HasSubstr("2 contenders ahead when last seen"));
    EXPECT_EQ(op<remove_op>(), remove_op{znode});
    answer_all_ok();
    EXPECT_EQ(told<gone>(k_ann), 1U);
    EXPECT_TRUE(session.idle());
}

// When the waiter sets its watch, it also reads the holder's data. Another client wrote these data, so the error
// message must escape them.
TEST_F(session_deadlines, name_the_holder_ahead) {
    start_attached();
    acquire(k_ann, 2s);
    answer_create_and_list(5, {stranger(4)});
    show_ahead("host=web1 pid=12 thread=13 label=a%1Bb since=2026-11-21T04:38:36Z", k_session + 1);
    pass(2s);
    EXPECT_THAT(
        message_of_failure(k_ann),
        HasSubstr("1 contender ahead when last seen, the holder: web1, pid 12, label \"a\\x1bb\", "
                  "since 2026-11-21T04:38:36Z"));
}

// A waiter keeps only the name of the nearest contender, a few bytes, however long the queue is.
TEST_F(session_deadlines, name_the_nearest_in_a_long_queue) {
    start_attached();
    acquire(k_ann, 2s);
    std::vector<std::string> others{stranger(4)};
    for (int number = -100; number != 4; ++number) others.push_back(stranger(number));
    answer_create_and_list(5, others);
    show_ahead("host=web1 pid=12 label=" + std::string(1000, 'a'), k_session + 1);
    pass(2s);
    const auto message = message_of_failure(k_ann);
    EXPECT_THAT(
        message,
        HasSubstr("105 contenders ahead when last seen, the nearest: web1, pid 12, label "));
    EXPECT_LT(message.size(), 300U);
}

TEST_F(session_deadlines, tell_a_caller_that_its_own_client_is_ahead) {
    start_attached();
    acquire(k_ann, 2s);
    answer_create_and_list(5, {stranger(4)});
    show_ahead("host=web1 pid=12 thread=13 since=2026-11-21T04:38:36Z", k_session);
    pass(2s);
    EXPECT_THAT(message_of_failure(k_ann),
                HasSubstr("this client holds the lock already: web1, pid 12, thread 13, since"));
}

// Failure F22: an event during the wait must not restart the deadline.
TEST_F(session_deadlines, F22_are_never_started_again) {
    start_attached();
    acquire(k_ann, 20s);
    const auto name = name_of(answer_create_and_list(9, {stranger(6), stranger(7), stranger(8)}));
    answer_all_ok();
    pass(3s);
    watch_fires(watch_kind::deleted, "/q/" + stranger(8));
    answer_children({stranger(6), stranger(7), name});
    answer_all_ok();
    pass(3s);
    watch_fires(watch_kind::changed, "/q/" + stranger(7));
    answer_all_ok();
    pass(3s);
    detach();
    attach();
    answer_children({stranger(6), name});
    answer_all_ok();
    pass(3s);
    expire();
    pass(50ms);
    attach();
    answer_create_and_list(1, {stranger(0)});
    answer_all_ok();
    pass_until(at(20s - 1ns));
    EXPECT_EQ(told<failed>(k_ann), 0U);
    pass(1ns);
    EXPECT_EQ(why<failed>(k_ann), errc::timeout);
}

TEST_F(session_deadlines, are_no_matter_once_the_lock_is_held) {
    start_attached();
    acquire(k_ann, 2s);
    answer_create_and_list(0);
    pass_answered(10s);
    EXPECT_EQ(told<failed>(k_ann), 0U);
    EXPECT_EQ(told<granted>(k_ann), 1U);
    EXPECT_EQ(told<lost>(k_ann), 0U);
}

TEST_F(session_deadlines, may_have_passed_already) {
    start_attached();
    acquire(k_ann, -1s);
    pass(0s);
    EXPECT_EQ(told<failed>(k_ann), 1U);
}

TEST_F(session_deadlines, of_several_waiters_are_kept_apart) {
    start_attached();
    acquire(k_ann, 3s);
    acquire(k_bob, 2s);
    acquire(k_eve);
    pass(2s);
    EXPECT_EQ(told<failed>(k_ann), 0U);
    EXPECT_EQ(told<failed>(k_bob), 1U);
    pass(1s);
    EXPECT_EQ(told<failed>(k_ann), 1U);
    pass(1h);
    EXPECT_EQ(told<failed>(k_eve), 0U);
}

TEST_F(session_deadlines, name_the_servers_when_nobody_answers) {
    start();
    acquire(k_ann, 2s);
    pass(2s);
    EXPECT_EQ(why<failed>(k_ann), errc::not_connected);
    EXPECT_THAT(message_of_failure(k_ann), HasSubstr("zk:2181"));
    EXPECT_THAT(message_of_failure(k_ann), HasSubstr("/q"));
    EXPECT_EQ(told<gone>(k_ann), 1U);
}

TEST_F(session_deadlines, tell_a_slow_server) {
    start_attached();
    acquire(k_ann, 2s);
    pass(2s);
    EXPECT_EQ(why<failed>(k_ann), errc::timeout);
    EXPECT_THAT(message_of_failure(k_ann), HasSubstr("zk:2181"));
}

// The server's role is unknown. If this server is the leader, the session timeout is long enough for a lease. For a
// lease that is renewed through a follower, the timeout would be too short.
TEST_F(session_deadlines, tell_a_missing_lease) {
    constexpr auto k_short = 10s;
    start();
    attach(server_role::unknown, k_short);
    detach();
    pass(k_short - 1s);
    attach(server_role::unknown, k_short);
    pass_answered(2s);
    acquire(k_bob, 2s);
    answer_create_and_list(0);
    pass(2s);
    EXPECT_THAT(message_of_failure(k_bob), HasSubstr("lease"));
}

TEST_F(session_deadlines, end_a_wait_also_while_suspended) {
    start_attached();
    acquire(k_ann, 2s);
    answer_create_and_list(5, {stranger(4)});
    detach();
    pass(2s);
    EXPECT_EQ(why<failed>(k_ann), errc::not_connected);
    EXPECT_EQ(told<gone>(k_ann), 0U) << "F17: its znode is still there";
    attach();
    EXPECT_EQ(count<remove_op>(), 1U);
    answer_all_ok();
    EXPECT_EQ(told<gone>(k_ann), 1U);
}

TEST_F(session_deadlines, count_on_a_time_that_never_goes_back) {
    start_attached();
    pass(8s);
    const auto due = now + k_timeout * 3 / 10;
    session.on(read{k_question, exists_op{"/q"}, {}}, now);
    session.on(read{k_further_question, exists_op{"/q"}, {}}, now - 5s);
    EXPECT_EQ(session.next_deadline(), due);
}

// ---- cancelled calls ------------------------------------------------------------------------

TEST_F(session_deadlines, or_cancelling_end_a_wait) {
    start_attached();
    acquire(k_ann);
    answer_create_and_list(5, {stranger(4)});
    on(cancel{k_ann, error{errc::interrupted}});
    EXPECT_EQ(why<failed>(k_ann), errc::interrupted);
    answer_all_ok();
    EXPECT_EQ(told<gone>(k_ann), 1U);
}

// The stop token may fire while the grant is on its way to the caller. The caller then keeps the hold.
TEST_F(session_deadlines, or_cancelling_do_not_end_a_hold) {
    start_attached();
    take_lock(k_ann);
    on(cancel{k_ann, error{errc::cancelled}});
    EXPECT_THAT(open, IsEmpty());
    leave(k_ann);
    EXPECT_EQ(count<remove_op>(), 1U);
}

TEST_F(session_deadlines, or_cancelling_of_somebody_who_is_gone_are_no_matter) {
    start_attached();
    take_lock(k_ann);
    leave(k_ann);
    answer_all_ok();
    ASSERT_EQ(told<gone>(k_ann), 1U);
    log.clear();
    leave(k_ann);
    on(cancel{k_ann});
    EXPECT_THAT(log, IsEmpty());
}

// ---- reads and writes without a hold (inquiries) --------------------------------------------

class session_questions : public test::session_fixture {
protected:
    void ask_for(inquiry_id id, std::optional<duration> timeout = {}) {
        on(read{id, children_op{"/q"}, timeout ? std::optional{now + *timeout} : std::nullopt});
    }
    errc error_of(std::size_t i) const { return std::get<error>(answers.at(i).outcome).code(); }
};

TEST_F(session_questions, are_answered) {
    start_attached();
    ask_for(k_question);
    EXPECT_FALSE(session.idle());
    answer<children_op>(server_error::no_node);
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].id, k_question);
    EXPECT_EQ(std::get<reply>(answers[0].outcome).error, server_error::no_node);
    EXPECT_TRUE(session.idle());
}

TEST_F(session_questions, wait_for_a_server) {
    ask_for(k_question);
    start();
    EXPECT_THAT(open, IsEmpty());
    attach();
    EXPECT_EQ(count<children_op>(), 1U);
}

TEST_F(session_questions, are_asked_again_until_they_are_answered) {
    start_attached();
    ask_for(k_question);
    detach();
    attach();
    EXPECT_EQ(count<children_op>(), 1U);
    answer<children_op>(server_error::session_moved);
    EXPECT_THAT(answers, IsEmpty());
    detach();
    expire();
    pass(50ms);
    attach();
    EXPECT_EQ(count<children_op>(), 1U);
    answer<children_op>();
    EXPECT_EQ(answers.size(), 1U);
    detach();
    attach();
    EXPECT_EQ(count<children_op>(), 0U);
}

TEST_F(session_questions, are_asked_again_at_once_when_their_loss_is_told_late) {
    start_attached();
    ask_for(k_question);
    auto late = reply_to<children_op>();
    late.outcome = outcome::unknown;
    on_event(link(link_kind::detached));
    attach();
    EXPECT_EQ(count<children_op>(), 0U);
    on_event(std::move(late));
    EXPECT_EQ(count<children_op>(), 1U);
}

TEST_F(session_questions, end_at_their_deadline) {
    start_attached();
    ask_for(k_question, 2s);
    ask_for(k_further_question, 3s);
    pass(2s);
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].id, k_question);
    EXPECT_EQ(error_of(0), errc::timeout);
    answer_all_ok();
    EXPECT_EQ(answers.size(), 2U) << "the late answer is nobody's";
    pass(3s);
    EXPECT_EQ(answers.size(), 2U);
}

TEST_F(session_questions, are_cancelled_with_a_reason) {
    start_attached();
    ask_for(k_question, 2s);
    on(cancel{k_question, error{errc::cancelled}});
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(error_of(0), errc::cancelled);
    pass(2s);
    answer_all_ok();
    EXPECT_EQ(answers.size(), 1U);
}

}  // namespace
}  // namespace turnstile::core
