// SPDX-License-Identifier: Apache-2.0
// Tests coroutines: only their executor resumes them, and no hold is left without an owner.
#include "turnstile/coroutine.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "client/support.hpp"
#include "recipe/coroutine_fixture.hpp"

namespace turnstile::tests {
namespace {

// GCC would destroy an object twice in the calls of the last two assertions, so these calls must not compile.
template <class O, class E>
concept awaits_with = requires(mutex& lock, E run) {
    async_acquire(lock, O{}, run);
};
static_assert(awaits_with<wait_limit, executor>);
static_assert(!awaits_with<acquire_options, executor>);
static_assert(!awaits_with<wait_limit, void (*)(std::function<void()>)>);

TEST_F(coroutines, take_a_free_lock_on_their_executor) {
    loop_thread loop;
    const auto task = acquire({.timeout = limit()}, loop.run());
    ASSERT_TRUE(task.wait());
    EXPECT_EQ(refusal, std::nullopt);
    EXPECT_EQ(resumed_on, thread_of(loop));
    EXPECT_TRUE(becomes_length(0));
}

TEST_F(coroutines, hold_the_lock_while_they_have_the_guard) {
    idle_loop loop;
    auto body = [&]() -> coroutine_task {
        const auto hold = co_await async_acquire(lock, loop.run());
        EXPECT_TRUE(hold->valid());
        static_cast<void>(co_await async_acquire(lock, limit(), loop.run()));
        ADD_FAILURE() << "the second has to wait for the first";
    };
    const auto task = body();
    ASSERT_TRUE(loop.wait());
    loop.run_all();
    EXPECT_TRUE(becomes_length(2));
    EXPECT_FALSE(task.finished());
}

TEST_F(coroutines, wait_for_their_turn) {
    loop_thread loop;
    auto hold = taken_by_others();
    const auto task = acquire({}, loop.run());
    ASSERT_TRUE(becomes_length(2));
    EXPECT_FALSE(task.finished());
    hold.unlock();
    ASSERT_TRUE(task.wait());
    EXPECT_EQ(refusal, std::nullopt);
    EXPECT_EQ(resumed_on, thread_of(loop));
}

TEST_F(coroutines, time_out) {
    loop_thread loop;
    const auto hold = taken_by_others();
    const auto task = acquire({.timeout = std::chrono::milliseconds{20}}, loop.run());
    ASSERT_TRUE(task.wait());
    EXPECT_EQ(refusal.value(), errc::timeout);
    EXPECT_EQ(resumed_on, thread_of(loop));
}

// ---- exceptions -----------------------------------------------------------------------------

TEST_F(coroutines, release_what_they_hold_when_they_throw) {
    loop_thread loop;
    auto body = [&]() -> coroutine_task {
        const auto hold = co_await async_acquire(lock, loop.run());
        EXPECT_TRUE(hold);
        throw std::runtime_error{"in the critical section"};
    };
    const auto task = body();
    ASSERT_TRUE(task.wait());
    EXPECT_THROW(task.rethrow(), std::runtime_error);
    EXPECT_TRUE(becomes_length(0));
}

struct refusing_lock {
    void async_acquire(acquire_options, std::function<void(result<guard>)>) {
        throw std::runtime_error{"cannot start"};
    }
};

TEST_F(coroutines, are_thrown_at_when_the_recipe_throws) {
    refusing_lock refuses;
    auto body = [&]() -> coroutine_task {
        static_cast<void>(co_await async_acquire(refuses, inline_executor()));
    };
    const auto task = body();
    EXPECT_TRUE(task.finished());
    EXPECT_THROW(task.rethrow(), std::runtime_error);
}

TEST_F(coroutines, need_an_executor) {
    const auto make = [&] { static_cast<void>(async_acquire(lock, executor{})); };
    EXPECT_THROW(make(), std::system_error);
}

TEST_F(coroutines, await_an_acquisition_once) {
    auto body = [&]() -> coroutine_task {
        auto once = async_acquire(lock, inline_executor());
        static_cast<void>(co_await std::move(once));
        static_cast<void>(co_await std::move(once));  // NOLINT: that is the point
    };
    const auto task = body();
    ASSERT_TRUE(task.wait());
    EXPECT_THROW(task.rethrow(), std::system_error);
    EXPECT_TRUE(becomes_length(0));
}

TEST_F(coroutines, start_nothing_before_the_await) {
    { const auto unused = async_acquire(lock, inline_executor()); }
    EXPECT_EQ(queue_length(), 0U);
}

// ---- cancellation ---------------------------------------------------------------------------

TEST_F(coroutines, are_cancelled_while_they_wait) {
    loop_thread loop;
    std::stop_source stop;
    const auto hold = taken_by_others();
    const auto task = acquire({.stop = stop.get_token()}, loop.run());
    ASSERT_TRUE(becomes_length(2));
    stop.request_stop();
    ASSERT_TRUE(task.wait());
    EXPECT_EQ(refusal.value(), errc::cancelled);
    EXPECT_EQ(resumed_on, thread_of(loop));
    EXPECT_TRUE(becomes_length(1));
}

TEST_F(coroutines, are_cancelled_before_they_begin) {
    loop_thread loop;
    std::stop_source stop;
    stop.request_stop();
    const auto hold = taken_by_others();
    const auto task = acquire({.stop = stop.get_token()}, loop.run());
    ASSERT_TRUE(task.wait());
    EXPECT_EQ(refusal.value(), errc::cancelled);
    EXPECT_EQ(resumed_on, thread_of(loop));
}

TEST_F(coroutines, keep_a_hold_that_came_before_the_stop) {
    loop_thread loop;
    std::stop_source stop;
    auto body = [&]() -> coroutine_task {
        const acquire_options stoppable{.stop = stop.get_token()};
        const auto hold = co_await async_acquire(lock, stoppable, loop.run());
        stop.request_stop();
        EXPECT_TRUE(hold->valid());
    };
    const auto task = body();
    ASSERT_TRUE(task.wait());
}

// ---- recipes other than the mutex -----------------------------------------------------------

struct both_guards {
    guard first;
    guard second;
};

// A lock whose guards have another type than `guard`.
class pair_lock {
public:
    explicit pair_lock(mutex& of) : lock_{of} {}
    void async_acquire(acquire_options options, std::function<void(result<both_guards>)> done) {
        lock_.async_acquire(std::move(options), [done](result<guard> hold) {
            if (hold) {
                done(both_guards{std::move(*hold), {}});
            } else {
                done(hold.error());
            }
        });
    }

private:
    mutex& lock_;
};

TEST_F(coroutines, take_recipes_with_guards_of_their_own) {
    loop_thread loop;
    pair_lock pair{lock};
    auto body = [&]() -> coroutine_task {
        const auto hold = co_await async_acquire<both_guards>(pair, loop.run());
        EXPECT_TRUE(hold->first.valid());
    };
    const auto task = body();
    ASSERT_TRUE(task.wait());
    task.rethrow();
    EXPECT_TRUE(becomes_length(0));
}

TEST_F(coroutines, take_other_asynchronous_forms) {
    loop_thread loop;
    auto body = [&]() -> coroutine_task {
        const auto start = [&](auto options, auto handler) {
            lock.async_acquire(std::move(options), std::move(handler));
        };
        const acquire_options patient{.timeout = limit()};
        const auto hold = co_await acquisition_awaitable<result<guard>>{start, patient, loop.run()};
        EXPECT_TRUE(hold->valid());
    };
    const auto task = body();
    ASSERT_TRUE(task.wait());
    task.rethrow();
}

// ---- many coroutines ------------------------------------------------------------------------

// Coroutines on two loops increment a plain counter under the lock, and the client closes in the middle.
TEST_F(coroutines, exclude_each_other) {
    constexpr int k_each = 40;
    loop_thread loops[2];
    int counter = 0;
    auto body = [&](mutex& m, executor run) -> coroutine_task {
        for (int i = 0; i != k_each; ++i) {
            const auto hold = co_await async_acquire(m, limit(), run);
            if (!hold) throw std::runtime_error{hold.error().message()};
            ++counter;
        }
    };
    std::vector<coroutine_task> tasks;
    for (auto* m : {&lock, &their_lock})
        for (auto& loop : loops) tasks.push_back(body(*m, loop.run()));
    for (const auto& task : tasks) {
        ASSERT_TRUE(task.wait());
        task.rethrow();
    }
    EXPECT_EQ(counter, 4 * k_each);
}

TEST_F(coroutines, all_end_when_the_client_closes_in_the_midst) {
    loop_thread loop;
    event rounds;
    auto body = [&]() -> coroutine_task {
        for (;;) {
            const auto hold = co_await async_acquire(lock, loop.run());
            if (!hold) co_return;
            rounds.set();
        }
    };
    std::vector<coroutine_task> tasks;
    for (int i = 0; i != 8; ++i) tasks.push_back(body());
    ASSERT_TRUE(rounds.wait(20));
    servers->close();
    for (const auto& task : tasks) EXPECT_TRUE(task.wait());
}

}  // namespace
}  // namespace turnstile::tests
