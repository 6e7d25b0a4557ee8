// SPDX-License-Identifier: Apache-2.0
// thread_holds: the holds that the standard forms (lock, unlock) keep for their threads.
//
// Each belongs to the thread that took it, so that no thread unlocks another's (F35), also when the first
// hold was lost and another thread has the lock by now.
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
    // True if the calling thread has one.
    [[nodiscard]] bool has_own() const {
        const base::lock_guard lock{mutex_};
        return holds_.contains(owner::calling_thread());
    }
    void keep(guard&& hold) {
        const base::lock_guard lock{mutex_};
        holds_.insert_or_assign(owner::calling_thread(), std::move(hold));
    }
    // An empty guard if the calling thread has none.
    [[nodiscard]] guard take_own() {
        const base::lock_guard lock{mutex_};
        auto found = holds_.extract(owner::calling_thread());
        return found ? std::move(found.mapped()) : guard{};
    }
    // Stays where it is until the thread takes it.
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
