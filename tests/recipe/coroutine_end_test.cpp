// SPDX-License-Identifier: Apache-2.0
// Tests coroutines that end early, executors that do not run their tasks, and clients that close. Each hold must be
// released, and no coroutine may be resumed twice or on another thread.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "recipe/coroutine_fixture.hpp"

namespace turnstile::tests {
namespace {

// ---- coroutines that are destroyed early ----------------------------------------------------

TEST_F(coroutines, leave_the_queue_when_they_are_destroyed) {
    auto hold = taken_by_others();
    auto task = acquire({}, throwing_executor());
    ASSERT_TRUE(becomes_length(2));
    task.destroy();
    EXPECT_TRUE(becomes_length(1));
}

TEST_F(coroutines, destroyed_with_a_hold_on_its_way_release_it_at_once) {
    idle_loop loop;
    auto task = acquire({}, loop.run());
    ASSERT_TRUE(loop.wait());
    EXPECT_EQ(queue_length(), 1U);
    task.destroy();
    EXPECT_TRUE(becomes_length(0));  // the contender is gone although the task has not run
    loop.run_all();
    EXPECT_EQ(resumed_on, std::thread::id{});
}

TEST_F(coroutines, that_end_together_leave_nothing) {
    idle_loop loop;
    {
        auto first = acquire({}, loop.run());
        auto second = acquire({}, loop.run());
        ASSERT_TRUE(becomes_length(2));
    }
    EXPECT_TRUE(becomes_length(0));
    loop.run_all();
}

// ---- executors ------------------------------------------------------------------------------

TEST_F(coroutines, whose_task_is_dropped_hold_nothing_and_stay_suspended) {
    event entered;
    acquire_options options;
    options.on_entered = [&](const std::string&) { entered.set(); };
    auto task = acquire(options, dropping_executor());
    ASSERT_TRUE(
        // The coroutine's contender must enter the queue first. Without this wait, the other client's contender could
        // be ahead.
        entered.wait());
    // The executor dropped the grant, and the hold was released. So the next waiter gets the lock.
    const auto hold = taken_by_others();
    EXPECT_TRUE(becomes_length(1));
    EXPECT_FALSE(task.finished());
}

TEST_F(coroutines, whose_executor_throws_hold_nothing_and_stay_suspended) {
    event logged;
    const log_capture log{[&] { logged.set(); }};
    auto task = acquire({}, throwing_executor());
    ASSERT_TRUE(logged.wait());
    EXPECT_NE(log.text().find("no more tasks"), std::string::npos) << log.text();
    const auto hold = taken_by_others();
    EXPECT_TRUE(becomes_length(1));
    EXPECT_FALSE(task.finished());
    EXPECT_EQ(resumed_on, std::thread::id{});
}

TEST_F(coroutines, run_where_an_executor_calls_them) {
    const auto task = acquire({}, inline_executor());
    ASSERT_TRUE(task.wait());
    EXPECT_EQ(refusal, std::nullopt);
    EXPECT_TRUE(becomes_length(0));
}

TEST_F(coroutines, are_resumed_once_by_a_task_that_runs_twice) {
    loop_thread loop;
    event posted;
    const auto task = acquire({}, [&](const std::function<void()>& work) {
        loop.post(work);
        loop.post(work);
        posted.set();
    });
    ASSERT_TRUE(task.wait());
    ASSERT_TRUE(posted.wait());
    thread_of(loop);  // returns when both tasks have run
}

TEST_F(coroutines, are_told_of_a_hold_that_was_lost_on_its_way) {
    idle_loop loop;
    event lost;
    const auto task = acquire({.on_lost = [&](const error&) { lost.set(); }}, loop.run());
    ASSERT_TRUE(loop.wait());
    faults.expire(servers->session().id);
    ASSERT_TRUE(lost.wait());
    loop.run_all();
    ASSERT_TRUE(task.finished());
    EXPECT_EQ(refusal.value(), errc::session_lost);
}

// The thread that calls handlers only passes results on, so a coroutine cannot block it.
TEST_F(coroutines, hold_up_no_callback) {
    loop_thread loop;
    event begun;
    event go;
    auto body = [&]() -> coroutine_task {
        const auto hold = co_await async_acquire(lock, loop.run());
        begun.set();
        EXPECT_TRUE(go.wait());
    };
    const auto task = body();
    ASSERT_TRUE(begun.wait());
    event answered;
    mutex other{*servers, "/other"};
    other.async_acquire({}, [&](const result<guard>&) { answered.set(); });
    EXPECT_TRUE(answered.wait());
    go.set();
    ASSERT_TRUE(task.wait());
}

// ---- the end of the client ------------------------------------------------------------------

TEST_F(coroutines, are_told_when_the_client_closes) {
    loop_thread loop;
    const auto hold = taken_by_others();
    const auto task = acquire({}, loop.run());
    ASSERT_TRUE(becomes_length(2));
    servers->close();
    ASSERT_TRUE(task.wait());
    EXPECT_EQ(refusal.value(), errc::closed);
    EXPECT_EQ(resumed_on, thread_of(loop));
}

TEST_F(coroutines, of_a_closed_client_are_resumed_by_their_executor) {
    idle_loop loop;
    servers->close();
    const auto task = acquire({}, loop.run());
    EXPECT_FALSE(task.finished());  // resumed outside the call
    loop.run_all();
    ASSERT_TRUE(task.finished());
    EXPECT_EQ(refusal.value(), errc::closed);
}

TEST_F(coroutines, of_a_closed_client_whose_executor_throws_stay_suspended) {
    servers->close();
    event logged;
    const log_capture log{[&] { logged.set(); }};
    const auto task = acquire({}, throwing_executor());
    EXPECT_TRUE(logged.wait());
    EXPECT_FALSE(task.finished());
}

TEST_F(coroutines, may_destroy_the_lock_that_they_waited_for) {
    loop_thread loop;
    auto body = [&]() -> coroutine_task {
        auto own = std::make_unique<mutex>(*servers, "/own");
        auto hold = co_await async_acquire(*own, loop.run());
        own.reset();
        EXPECT_TRUE(hold->valid());
    };
    for (int i = 0; i != 50; ++i) {
        const auto task = body();
        ASSERT_TRUE(task.wait());
    }
}

}  // namespace
}  // namespace turnstile::tests
