// SPDX-License-Identifier: Apache-2.0
// Tests each instant between the grant and the resumption at which a coroutine may end or an executor may fail. The
// test acts as the recipe, and calls the recipe's handler at a chosen time.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "recipe/coroutine_fixture.hpp"

namespace turnstile::tests {
namespace {

using guard_handler = std::function<void(result<guard>)>;

// A lock whose grants the test triggers.
struct scripted_lock {
    std::function<void(const acquire_options&, const guard_handler&)> script;
    void async_acquire(acquire_options options, guard_handler done) { script(options, done); }
};

class coroutine_races : public coroutines {
protected:
    scripted_lock scripted;
    guard_handler answer;  // handler of the present co_await

    coroutine_races() {
        scripted.script = [this](const acquire_options&, const guard_handler& done) {
            answer = done;
        };
    }
    coroutine_task await_script(executor run) {
        auto hold = co_await async_acquire(scripted, std::move(run));
        resumed_on = std::this_thread::get_id();
        if (!hold) refusal = hold.error();
    }
    // Returns a real hold. The length of the queue shows whether the hold has been released.
    guard granted() { return lock.acquire({.timeout = limit()}).value(); }
};

// The coroutine ends while a grant is on its way to the handler and can no longer be cancelled.
TEST_F(coroutine_races, a_grant_that_is_told_after_the_end_is_released_at_once) {
    idle_loop loop;
    auto task = await_script(loop.run());
    auto hold = granted();
    task.destroy();
    answer(std::move(hold));
    EXPECT_EQ(loop.tasks(), 0U);  // the executor has got no task
    EXPECT_TRUE(becomes_length(0));
}

TEST_F(coroutine_races, a_grant_that_the_executor_is_being_given_is_released_at_the_end) {
    std::optional<coroutine_task> task;
    std::function<void()> kept;
    task.emplace(await_script([&](const std::function<void()>& work) {
        kept = work;
        task->destroy();
    }));
    answer(granted());
    EXPECT_TRUE(becomes_length(0));
    kept();  // the call has no effect
    EXPECT_EQ(resumed_on, std::thread::id{});
}

TEST_F(coroutine_races, a_grant_that_was_posted_is_released_at_the_end) {
    idle_loop loop;
    auto task = await_script(loop.run());
    answer(granted());
    ASSERT_TRUE(loop.wait());
    EXPECT_EQ(queue_length(), 1U);
    task.destroy();
    EXPECT_TRUE(becomes_length(0));
}

TEST_F(coroutine_races, the_first_answer_counts) {
    idle_loop loop;
    auto task = await_script(loop.run());
    answer(error{errc::timeout});
    answer(granted());
    EXPECT_TRUE(becomes_length(0));
    loop.run_all();
    ASSERT_TRUE(task.finished());
    EXPECT_EQ(refusal.value(), errc::timeout);
}

TEST_F(coroutine_races, a_destroyed_coroutine_cancels_its_contender) {
    std::stop_token given;
    scripted.script = [&](const acquire_options& options, const guard_handler& done) {
        given = options.stop;
        answer = done;
    };
    auto task = await_script(inline_executor());
    EXPECT_FALSE(given.stop_requested());
    task.destroy();
    EXPECT_TRUE(given.stop_requested());
    answer(error{errc::cancelled});
}

// ---- executors that throw -------------------------------------------------------------------

// The grant may come before or after the return of the recipe's function, and the effect must be the same. Here the
// grant comes first.
TEST_F(coroutine_races, an_executor_that_throws_leaves_it_suspended_when_the_grant_was_faster) {
    scripted.script = [&](const acquire_options&, const guard_handler& done) {
        std::thread{[&] { done(granted()); }}.join();
    };
    event logged;
    const log_capture log{[&] { logged.set(); }};
    const auto task = await_script(throwing_executor());
    EXPECT_TRUE(logged.wait());
    EXPECT_FALSE(task.finished());
    EXPECT_TRUE(becomes_length(0));
}

TEST_F(coroutine_races, an_executor_that_throws_leaves_it_suspended_when_the_grant_was_slower) {
    event logged;
    const log_capture log{[&] { logged.set(); }};
    const auto task = await_script(throwing_executor());
    EXPECT_NO_THROW(answer(granted()));
    EXPECT_TRUE(logged.wait());
    EXPECT_FALSE(task.finished());
    EXPECT_TRUE(becomes_length(0));
}

TEST_F(coroutine_races, an_executor_that_throws_and_keeps_the_task_holds_nothing) {
    event logged;
    const log_capture log{[&] { logged.set(); }};
    std::function<void()> kept;
    const auto task = await_script([&](const std::function<void()>& work) {
        kept = work;
        throw std::runtime_error{"full"};
    });
    answer(granted());
    EXPECT_TRUE(becomes_length(0));
    kept();
    EXPECT_FALSE(task.finished());
}

TEST_F(coroutine_races, an_executor_that_throws_after_it_ran_the_task_changes_nothing) {
    event logged;
    const log_capture log{[&] { logged.set(); }};
    const auto task = await_script([](const std::function<void()>& work) {
        work();
        throw 1;
    });
    EXPECT_NO_THROW(answer(granted()));
    EXPECT_TRUE(task.finished());
    EXPECT_EQ(refusal, std::nullopt);
    EXPECT_NE(log.text().find("the task had run"), std::string::npos) << log.text();
}

TEST_F(coroutine_races, a_task_that_is_dropped_late_releases_what_was_granted) {
    std::function<void()> kept;
    const auto task = await_script([&](std::function<void()> work) { kept = std::move(work); });
    answer(granted());
    EXPECT_EQ(queue_length(), 1U);
    kept = nullptr;
    EXPECT_TRUE(becomes_length(0));
    EXPECT_FALSE(task.finished());
}

TEST_F(coroutine_races, a_task_that_is_never_run_does_not_keep_its_executor) {
    auto queue = std::make_shared<std::function<void()>>();
    const std::weak_ptr<void> left = queue;
    {
        const auto task =
            await_script([queue](const std::function<void()>& work) { *queue = work; });
        answer(granted());
        answer = nullptr;
        queue.reset();
    }
    EXPECT_TRUE(left.expired());
}

// ---- owners that resume their coroutine -----------------------------------------------------

TEST_F(coroutine_races, an_owner_may_resume_what_an_executor_left_suspended) {
    const auto task = await_script(dropping_executor());
    answer(granted());
    task.resume();
    ASSERT_TRUE(task.finished());
    EXPECT_EQ(refusal.value(), errc::cancelled);
    EXPECT_TRUE(becomes_length(0));
}

TEST_F(coroutine_races, an_owner_that_resumes_before_the_answer_leaves_the_queue) {
    const auto hold = taken_by_others();
    idle_loop loop;
    const auto task = acquire({}, loop.run());
    ASSERT_TRUE(becomes_length(2));
    task.resume();
    ASSERT_TRUE(task.finished());
    EXPECT_EQ(refusal.value(), errc::cancelled);
    EXPECT_TRUE(becomes_length(1));
}

// ---- many coroutines ------------------------------------------------------------------------

// Grants arrive on the client's threads while the loop destroys the coroutines that wait for them.
TEST_F(coroutine_races, coroutines_that_are_destroyed_at_any_instant_leave_nothing) {
    constexpr int k_rounds = 200;
    loop_thread loop;
    event over;
    for (int i = 0; i != k_rounds; ++i) {
        loop.post([&] {
            // NOLINTNEXTLINE: the task below owns the coroutine, and std::function copies its task
            auto task = std::make_shared<coroutine_task>(acquire({}, loop.run()));
            loop.post([&, task] {
                task->destroy();
                over.set();
            });
        });
    }
    ASSERT_TRUE(over.wait(k_rounds));
    EXPECT_TRUE(becomes_length(0));
}

// The test's thread cancels each wait by its stop token. At the same time a thread of the client delivers the grant,
// and the loop's thread resumes the coroutine.
TEST_F(coroutine_races, coroutines_that_are_cancelled_at_any_instant_leave_nothing) {
    constexpr int k_rounds = 200;
    loop_thread loop;
    for (int i = 0; i != k_rounds; ++i) {
        std::stop_source stop;
        const auto task = acquire({.stop = stop.get_token()}, loop.run());
        stop.request_stop();
        ASSERT_TRUE(task.wait());
        EXPECT_EQ(refusal.value_or(error{errc::cancelled}), errc::cancelled);
        refusal.reset();
    }
    EXPECT_TRUE(becomes_length(0));
}

}  // namespace
}  // namespace turnstile::tests
