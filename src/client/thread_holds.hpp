// SPDX-License-Identifier: Apache-2.0
// thread_holds: for each thread, its hold of one lock object. lock() acquires this hold, and unlock() ends it.
//
// A hold belongs to the thread that called lock(). So no other thread can unlock it (docs/reference/failures.md, F35),
// even if the hold was lost and that other thread holds the lock now. A forked child has no holds.
//
// Thread safety: all members from any thread.
#pragma once

#include <map>
#include <utility>

#include "base/mutex.hpp"
#include "base/process.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/owner.hpp"

namespace turnstile::detail {

class thread_holds {
public:
    [[nodiscard]] bool has_own() const {
        if (process_.forked()) return false;
        const base::lock_guard lock{mutex_};
        return holds_.contains(owner::calling_thread());
    }
    void keep(guard&& hold) {
        const base::lock_guard lock{mutex_};
        holds_.insert_or_assign(owner::calling_thread(), std::move(hold));
    }
    // Removes and returns the calling thread's hold; an empty guard if it has none.
    [[nodiscard]] guard take_own() {
        if (process_.forked()) return {};
        const base::lock_guard lock{mutex_};
        auto found = holds_.extract(owner::calling_thread());
        return found ? std::move(found.mapped()) : guard{};
    }
    // Returns the calling thread's hold, which stays in the table; null if it has none.
    [[nodiscard]] const guard* own() const {
        if (process_.forked()) return nullptr;
        const base::lock_guard lock{mutex_};
        const auto found = holds_.find(owner::calling_thread());
        return found == holds_.end() ? nullptr : &found->second;
    }

private:
    const base::process_mark process_;
    mutable base::mutex mutex_;
    std::map<owner, guard> holds_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
