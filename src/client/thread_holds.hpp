// SPDX-License-Identifier: Apache-2.0
// thread_holds: the holds of the standard forms (lock, unlock), by thread.
//
// A hold belongs to the thread that locked it, so no thread can unlock another thread's hold (F35). This is true even
// if the first hold was lost and another thread has the lock now.
//
// Thread safety: all members from any thread.
#pragma once

#include <map>
#include <utility>

#include "base/mutex.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/owner.hpp"

namespace turnstile::detail {

class thread_holds {
public:
    // True if the calling thread has a hold.
    [[nodiscard]] bool has_own() const {
        const base::lock_guard lock{mutex_};
        return holds_.contains(owner::calling_thread());
    }
    void keep(guard&& hold) {
        const base::lock_guard lock{mutex_};
        holds_.insert_or_assign(owner::calling_thread(), std::move(hold));
    }
    // Returns an empty guard if the calling thread has no hold.
    [[nodiscard]] guard take_own() {
        const base::lock_guard lock{mutex_};
        auto found = holds_.extract(owner::calling_thread());
        return found ? std::move(found.mapped()) : guard{};
    }
    // The hold stays in the table.
    [[nodiscard]] const guard* own() const {
        const base::lock_guard lock{mutex_};
        const auto found = holds_.find(owner::calling_thread());
        return found == holds_.end() ? nullptr : &found->second;
    }

private:
    mutable base::mutex mutex_;
    std::map<owner, guard> holds_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
