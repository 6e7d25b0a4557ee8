// SPDX-License-Identifier: Apache-2.0
// lazy_condition: a condition variable for an object on which threads rarely wait. The first thread that waits creates
// the condition variable. Until then the object needs the space of a pointer, and notify_all() costs nothing.
//
// Thread safety: all members from any thread; all waiting threads hold the same mutex.
#pragma once

#include <atomic>
#include <memory>

#include "base/mutex.hpp"

namespace turnstile::base {

class lazy_condition {
public:
    lazy_condition() = default;
    lazy_condition(const lazy_condition&) = delete;
    lazy_condition& operator=(const lazy_condition&) = delete;
    ~lazy_condition() { delete condition_.load(); }

    void wait(unique_lock& held) { make().wait(held); }
    bool wait_until(unique_lock& held, boottime_clock::time_point deadline) {
        return make().wait_until(held, deadline);
    }
    // True if a thread waits or has waited. Call this with the mutex locked.
    [[nodiscard]] bool awaited() const noexcept {
        return condition_.load(std::memory_order_relaxed) != nullptr;
    }
    // Call this with the mutex locked, or after unlocking the mutex. Every thread that must be notified has locked the
    // mutex earlier, so the condition variable exists.
    void notify_all() noexcept {
        if (auto* existing = condition_.load(std::memory_order_acquire)) existing->notify_all();
    }

private:
    condition_variable& make() {
        if (condition_.load(std::memory_order_relaxed) == nullptr)
            condition_.store(std::make_unique<condition_variable>().release(),
                             std::memory_order_release);
        return *condition_.load(std::memory_order_relaxed);
    }

    std::atomic<condition_variable*> condition_{nullptr};
};

}  // namespace turnstile::base
