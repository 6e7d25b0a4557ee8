// SPDX-License-Identifier: Apache-2.0
// event: something that happens in a test. One thread reports it with set(), and another thread waits for it.
//
//     event granted;
//     orders.async_acquire({}, [&](auto) { granted.set(); });
//     ASSERT_TRUE(granted.wait());
//
// Thread safety: any thread may call any member. Do not destroy the event while a thread may still call set().
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::testing {

// Counts how often set() was called.
class event {
public:
    // Adds 1 to the count, and wakes all waiters.
    void set() {
        const std::lock_guard hold{mutex_};
        ++count_;
        changed_.notify_all();
    }

    // Returns whether set() was called.
    [[nodiscard]] bool is_set() const { return count() > 0; }

    // Returns how often set() was called.
    [[nodiscard]] std::size_t count() const {
        const std::lock_guard hold{mutex_};
        return count_;
    }

    // Waits until set() was called at least `occurrences` times. Returns false if the deadline came first.
    [[nodiscard]] bool wait(std::size_t occurrences = 1, test_deadline until = {}) const {
        std::unique_lock hold{mutex_};
        return changed_.wait_until(hold, until.at(), [&] { return count_ >= occurrences; });
    }

private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::size_t count_ = 0;  // guarded by mutex_
};

// Calls `happened.wait()`, and returns its result.
[[nodiscard]] inline bool wait_for(const event& happened, test_deadline until = {}) {
    return happened.wait(1, until);
}

}  // namespace turnstile::testing
