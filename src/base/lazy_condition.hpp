// SPDX-License-Identifier: Apache-2.0
// lazy_condition: a condition that few threads wait for; the first thread that waits makes it. Until then it takes a
// pointer, and notifying costs nothing.
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
    // Under the mutex: a thread waits, or has waited.
    [[nodiscard]] bool awaited() const noexcept {
        return condition_.load(std::memory_order_relaxed) != nullptr;
    }
    // Under the mutex or after it: a thread that saw the state before the change has made the condition by now.
    void notify_all() noexcept {
        if (auto* existing = condition_.load(std::memory_order_acquire)) existing->notify_all();
    }

private:
    // Under the mutex, so only one thread at a time makes it.
    condition& make() {
        if (condition_.load(std::memory_order_relaxed) == nullptr)
            condition_.store(std::make_unique<condition>().release(), std::memory_order_release);
        return *condition_.load(std::memory_order_relaxed);
    }

    std::atomic<condition*> condition_{nullptr};
};

}  // namespace turnstile::base
