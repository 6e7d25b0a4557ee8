// SPDX-License-Identifier: Apache-2.0
// Trees of znodes in memory, and executors, for the tests of the client.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "local/faults.hpp"
#include "turnstile/testing/event.hpp"
#include "turnstile/testing/test_deadline.hpp"
#include "turnstile/turnstile.hpp"

namespace turnstile::tests {

using testing::event;
using testing::eventually;
using testing::limit;

// Returns the name of a new tree of znodes in memory.
inline std::string fresh_tree() {
    static std::atomic<int> count{0};
    return "client-test-" + std::to_string(++count);
}

// Fixture with a tree of znodes in memory. connect() opens clients of this tree.
class shell_test : public ::testing::Test {
protected:
    const std::string tree = fresh_tree();
    const std::string where = "local:" + tree;
    local::faults faults{tree};

    std::unique_ptr<client> connect(client_options options = {}) const {
        auto result = std::make_unique<client>(where, std::move(options));
        result->wait_connected(limit()).value();
        return result;
    }
};

// An event loop that keeps its tasks until a test runs them.
class idle_loop {
public:
    executor run() {
        return [tasks = tasks_](std::function<void()> task) {
            const std::lock_guard hold{tasks->mutex};
            tasks->waiting.push_back(std::move(task));
            tasks->arrived.set();
        };
    }
    // Runs all waiting tasks on this thread.
    void run_all() {
        for (;;) {
            std::function<void()> next;
            {
                const std::lock_guard hold{tasks_->mutex};
                if (tasks_->waiting.empty()) return;
                next = std::move(tasks_->waiting.front());
                tasks_->waiting.pop_front();
            }
            next();
        }
    }
    // Destroys tasks that have not run, as a loop's end does.
    void destroy_all() {
        std::deque<std::function<void()>> unrun;
        const std::lock_guard hold{tasks_->mutex};
        unrun.swap(tasks_->waiting);
    }
    [[nodiscard]] bool wait(std::size_t tasks = 1) const { return tasks_->arrived.wait(tasks); }
    [[nodiscard]] std::size_t tasks() const { return tasks_->arrived.count(); }

private:
    struct shared {
        std::mutex mutex;
        std::deque<std::function<void()>> waiting;
        event arrived;
    };
    std::shared_ptr<shared> tasks_ = std::make_shared<shared>();
};

// An event loop with one thread.
class loop_thread {
public:
    loop_thread() = default;
    ~loop_thread() {
        post([this] { over_ = true; });
        thread_.join();
    }
    loop_thread(const loop_thread&) = delete;
    loop_thread& operator=(const loop_thread&) = delete;

    void post(std::function<void()> task) {
        const std::lock_guard hold{mutex_};
        tasks_.push_back(std::move(task));
        changed_.notify_all();
    }
    executor run() {
        return [this](std::function<void()> task) { post(std::move(task)); };
    }
    [[nodiscard]] std::thread::id id() const { return thread_.get_id(); }

private:
    void work() {
        while (!over_) {
            std::unique_lock lock{mutex_};
            changed_.wait(lock, [this] { return !tasks_.empty(); });
            const auto next = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            next();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    bool over_ = false;  // used only by the loop's thread
    std::thread thread_{[this] { work(); }};
};

// Acquires with a short `max_hold`. On a busy machine the hold may end before the call returns. The call then returns
// an error, and this function acquires again.
template <class Lock>
guard hold_shortly(Lock& lock, const acquire_options& options) {
    auto hold = lock.acquire(options);
    while (!hold && hold.error() == errc::held_too_long) hold = lock.acquire(options);
    return std::move(hold).value();
}

// Returns the deadline of a call that should be fast. A call that exceeds it fails.
inline boottime_clock::time_point in_time() {
    return boottime_clock::now() + limit();
}

inline executor inline_executor() {
    return [](const std::function<void()>& task) { task(); };
}
inline executor dropping_executor() {
    return [](const std::function<void()>&) {};
}
inline executor throwing_executor() {
    return [](const std::function<void()>&) { throw std::runtime_error{"no more tasks"}; };
}

}  // namespace turnstile::tests
