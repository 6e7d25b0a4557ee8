// SPDX-License-Identifier: Apache-2.0
// Fixture for the tests of coroutines: two clients that use one lock, and a coroutine that takes the lock.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "client/support.hpp"
#include "recipe/coroutine_task.hpp"
#include "turnstile/coroutine.hpp"

namespace turnstile::tests {

// Collects the lines of the log during its lifetime.
class log_capture {
public:
    explicit log_capture(std::function<void()> on_line) {
        set_log_sink([this, told = std::move(on_line)](log_level, std::string_view line) {
            {
                const std::lock_guard lock{mutex_};
                text_.append(line).append(1, '\n');
            }
            told();
        });
    }
    ~log_capture() { set_log_sink({}); }
    log_capture(const log_capture&) = delete;
    log_capture& operator=(const log_capture&) = delete;

    // Returns all lines of the log so far.
    [[nodiscard]] std::string text() const {
        EXPECT_TRUE(flush_log(limit()));
        const std::lock_guard lock{mutex_};
        return text_;
    }

private:
    mutable std::mutex mutex_;
    std::string text_;
};

class coroutines : public shell_test {
protected:
    std::unique_ptr<client> servers = connect();
    mutex lock{*servers, "/lock"};
    std::unique_ptr<client> others = connect();
    mutex their_lock{*others, "/lock"};

    // The outcome of the latest co_await, which the coroutine stores for the test.
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
