// What the tests of coroutines share: a coroutine type, two clients at one lock, and a coroutine that takes
// it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "client/support.hpp"
#include "recipe/coroutine_task.hpp"
#include "turnstile/coroutine.hpp"

namespace turnstile::tests {

class coroutines : public shell_test {
protected:
    std::unique_ptr<client> servers = connect();
    mutex lock{*servers, "/lock"};
    std::unique_ptr<client> others = connect();
    mutex their_lock{*others, "/lock"};

    // The outcome of the last await, for the test; written by the coroutine.
    std::optional<error> refusal;
    std::thread::id resumed_on;

    coroutine_task acquire(acquire_options options, executor run) {
        auto hold = co_await async_acquire(lock, options, std::move(run));
        resumed_on = std::this_thread::get_id();
        if (!hold) refusal = hold.error();
    }
    [[nodiscard]] std::size_t queue_length() const { return lock.queue().value().size(); }
    [[nodiscard]] bool becomes_length(std::size_t length) const {
        return eventually([&] { return queue_length() == length; });
    }
    guard taken_by_others() { return their_lock.acquire({.timeout = limit()}).value(); }
};

inline std::thread::id thread_of(loop_thread& loop) {
    std::thread::id found;
    event told;
    loop.post([&] {
        found = std::this_thread::get_id();
        told.set();
    });
    EXPECT_TRUE(told.wait());
    return found;
}

}  // namespace turnstile::tests
