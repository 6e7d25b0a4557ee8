// SPDX-License-Identifier: Apache-2.0
// Tests calls that wait for the servers, in coroutines that start at once and in lazy coroutines (as cppcoro has them).
// While calls wait, the client's own work must still get threads.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "recipe/coroutine_fixture.hpp"
#include "recipe/lazy_task.hpp"
#include "turnstile/async_call.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class async_calls : public coroutines {
protected:
    loop_thread loop;
    const executor run = loop.run();
    const std::thread::id on_loop = thread_of(loop);
    const acquire_options patient{.timeout = limit()};

    [[nodiscard]] bool on_the_loop() const { return std::this_thread::get_id() == on_loop; }

    // A coroutine that takes and releases the lock. No thread waits for either call.
    lazy_task<bool> take_and_give_back() {
        auto hold = co_await async_try_acquire(*servers, lock, patient, run);
        EXPECT_TRUE(hold && on_the_loop());
        const auto busy = co_await async_try_acquire(*others, their_lock, limit(), run);
        EXPECT_EQ(busy.error(), errc::busy);
        const auto gone = co_await async_release(*servers, std::move(*hold), limit(), run);
        EXPECT_TRUE(gone && on_the_loop());
        co_return !lock.is_locked().value();
    }
    lazy_task<std::size_t> length() {
        const auto look = [this](std::stop_token stop) { return lock.queue({.stop = stop}); };
        const auto queue = co_await async_call(*servers, look, run);
        co_return queue.value().size();
    }
};

TEST_F(async_calls, in_a_coroutine_that_begins_when_it_is_awaited) {
    const auto body = [this]() -> lazy_task<bool> {
        const bool given_back = co_await take_and_give_back();
        const auto hold = co_await async_acquire(lock, patient, run);
        EXPECT_TRUE(hold && on_the_loop());
        EXPECT_EQ(co_await length(), 1U);
        co_return given_back;
    };
    EXPECT_TRUE(sync_wait(body()));
}

TEST_F(async_calls, in_a_coroutine_that_begins_at_once) {
    bool ended = false;
    const auto body = [&]() -> coroutine_task {
        const auto up = co_await async_wait_connected(*servers, limit(), run);
        EXPECT_TRUE(up && on_the_loop());
        auto hold = co_await async_try_acquire(*servers, lock, limit(), run);
        EXPECT_TRUE(hold);
        transaction writes;
        writes.create("/written", "1");
        const auto written = co_await async_commit(*hold, writes, limit(), run);
        EXPECT_EQ(written.value().created.front(), "/written");
        ended = true;
    };
    const auto task = body();
    ASSERT_TRUE(task.wait());
    task.rethrow();
    EXPECT_TRUE(ended);
}

TEST_F(async_calls, tell_what_the_call_threw) {
    const auto throwing = [this]() -> result<void> {
        lock.lock();
        return {};
    };
    const auto odd = []() -> result<void> { throw std::runtime_error{"odd"}; };
    const auto body = [&](const auto& call) -> lazy_task<errc> {
        const auto outcome = co_await async_call(*servers, call, run);
        co_return outcome.error().code();
    };
    event logged;
    const log_capture log{[&] { logged.set(); }};
    EXPECT_EQ(sync_wait(body(odd)), errc::cancelled);
    EXPECT_NE(log.text().find("odd"), std::string::npos);
    servers->close();
    EXPECT_EQ(sync_wait(body(throwing)), errc::closed);
}

TEST_F(async_calls, are_stopped_by_the_end_of_the_coroutine) {
    const auto theirs = taken_by_others();
    const auto wait = [this](std::stop_token stop) { return lock.acquire({.stop = stop}); };
    const auto body = [&]() -> coroutine_task {
        static_cast<void>(co_await async_call(*servers, wait, run));
    };
    auto task = body();
    ASSERT_TRUE(becomes_length(2));
    task.destroy();
    EXPECT_TRUE(becomes_length(1));
}

TEST_F(async_calls, end_with_the_client) {
    const auto theirs = taken_by_others();
    const auto wait = [this] { return lock.acquire(); };
    const auto body = [&]() -> coroutine_task {
        const auto outcome = co_await async_call(*servers, wait, run);
        refusal = outcome.error();
    };
    const auto task = body();
    ASSERT_TRUE(eventually([&] { return their_lock.queue().value().size() == 2; }));
    servers->close();
    ASSERT_TRUE(task.wait());
    EXPECT_EQ(refusal->code(), errc::closed);
}

// More calls wait than the client has threads. These threads also deliver the grants of locks that a process's threads
// share. The grants must arrive, and further calls must get a thread.
TEST_F(async_calls, leave_threads_for_the_clients_own_work) {
    constexpr std::size_t k_calls = 40;
    auto theirs = taken_by_others();
    const auto wait = [this] { return lock.acquire({.timeout = limit()}); };
    event ended;
    const auto body = [&]() -> coroutine_task {
        const auto hold = co_await async_call(*servers, wait, run);
        EXPECT_TRUE(hold) << hold.error().message();
        ended.set();
    };
    std::vector<coroutine_task> all;
    for (std::size_t i = 0; i != k_calls; ++i) all.push_back(body());
    ASSERT_TRUE(becomes_length(17)) << "half of the threads wait";
    mutex retained{*servers, "/retained", {.retain_for = 1min}};
    EXPECT_TRUE(retained.acquire({.timeout = limit()}).has_value());
    theirs.unlock();
    EXPECT_TRUE(ended.wait(k_calls));
    for (const auto& task : all) EXPECT_TRUE(task.wait());
}

}  // namespace
}  // namespace turnstile::tests
