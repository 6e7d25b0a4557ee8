// SPDX-License-Identifier: Apache-2.0
// standard_forms: turns outcomes into the results of lock(), try_lock() and their variants, for every recipe. It stores
// the hold for the calling thread, returns `false` for a lock that was not taken, and throws every other error.
//
//     thread_holds   for each thread, its hold of one lock object
//
// Thread safety: all members from any thread.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/mutex.hpp"
#include "base/process.hpp"
#include "client/interruption.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/owner.hpp"

namespace turnstile::detail {

// For each thread, its hold of one lock object. lock() acquires this hold, and unlock() ends it.
//
// A hold belongs to the thread that called lock(). So no other thread can unlock it (docs/reference/failures.md, F35),
// even if the hold was lost and that other thread holds the lock now. A forked child has no holds.
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

// The lock type `L` must have acquire().
class standard_forms {
public:
    [[nodiscard]] const guard* own() const { return holds_.own(); }

    // Acquires the lock for the calling thread. Throws would_deadlock if that thread has a hold already.
    template <class L>
    void lock(L& lock, const std::string& path) {
        if (holds_.has_own())
            throw_error({errc::would_deadlock, path + ": this thread holds the lock already"});
        keep_or_throw(lock.acquire());
    }
    // Acquires the lock within `left`; tries once if no time is left. Returns false if the calling thread has a hold
    // already.
    template <class L>
    bool try_lock(L& lock, boottime_clock::duration left) {
        if (holds_.has_own()) return false;
        auto outcome = lock.acquire({.timeout = left});
        if (!taken(outcome)) return false;
        holds_.keep(std::move(*outcome));
        return true;
    }
    void keep_or_throw(result<guard>&& outcome) {
        if (!outcome) throw_from_lock(outcome.error());
        holds_.keep(std::move(*outcome));
    }

    // True for success. False if the lock was busy, the wait timed out, or no server was connected, because functions
    // of the standard have one `false` for all three. Throws any other error.
    template <class T>
    static bool taken(const result<T>& outcome) {
        if (outcome) return true;
        const auto& why = outcome.error();
        if (why != errc::busy && why != errc::timeout && why != errc::not_connected)
            throw_from_lock(why);
        return false;
    }
    [[nodiscard]] static error no_hold_of_thread(const std::string& path) {
        return {errc::not_owner,
                path +
                    ": unlock() ends a hold of lock() on the same thread; if a guard of "
                    "acquire() holds the lock, release the guard"};
    }
    // Removes and returns the calling thread's hold. Throws not_owner if there is none.
    [[nodiscard]] guard take(const std::string& path) {
        auto hold = holds_.take_own();
        if (!hold) throw_error(no_hold_of_thread(path));
        return hold;
    }

private:
    thread_holds holds_;
};

}  // namespace turnstile::detail
