// SPDX-License-Identifier: Apache-2.0
// mutex, lock_guard, unique_lock, condition_variable: Boost.Thread's classes, with annotations for clang's
// -Wthread-safety.
//
// Purpose: the declaration of a member names the mutex that guards it, and the compiler refuses code that uses the
// member without the lock. Boost's classes are used because their waits are interruption points
// (boost::thread::interrupt()). With the CMake option TURNSTILE_INTERRUPTION=OFF the classes are the standard
// library's, whose waits cannot be interrupted.
//
//     base::mutex mutex_;
//     int count_ GUARDED_BY(mutex_) = 0;
//     ...
//     base::unique_lock lock{mutex_};
//     while (count_ == 0) changed_.wait(lock);
//
// Thread safety: any thread may use a mutex or a condition_variable; one thread uses a lock_guard or unique_lock.
#pragma once

#include <algorithm>
#include <chrono>

#ifdef TURNSTILE_NO_INTERRUPTION
#include <condition_variable>
#include <mutex>
#else
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/lock_types.hpp>
#include <boost/thread/mutex.hpp>
#endif

#include "turnstile/clock.hpp"

#if defined(__clang__)
#define TURNSTILE_ANNOTATION(x) __attribute__((x))
#else
#define TURNSTILE_ANNOTATION(x)
#endif

// The macros have the names in clang's documentation, as in LevelDB's port/thread_annotations.h.
#define CAPABILITY(x) TURNSTILE_ANNOTATION(capability(x))
#define SCOPED_CAPABILITY TURNSTILE_ANNOTATION(scoped_lockable)
#define GUARDED_BY(x) TURNSTILE_ANNOTATION(guarded_by(x))
#define REQUIRES(...) TURNSTILE_ANNOTATION(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) TURNSTILE_ANNOTATION(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) TURNSTILE_ANNOTATION(acquire_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) TURNSTILE_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define RELEASE(...) TURNSTILE_ANNOTATION(release_capability(__VA_ARGS__))
#define ACQUIRED_AFTER(...) TURNSTILE_ANNOTATION(acquired_after(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS TURNSTILE_ANNOTATION(no_thread_safety_analysis)

namespace turnstile::base {

// The library whose classes are wrapped here.
#ifdef TURNSTILE_NO_INTERRUPTION
namespace wrapped = std;
#else
namespace wrapped = boost;
#endif

class CAPABILITY("mutex") mutex {
public:
    mutex() = default;
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    void lock() ACQUIRE() { mutex_.lock(); }
    void unlock() RELEASE() { mutex_.unlock(); }
    bool try_lock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }

private:
    friend class unique_lock;
    wrapped::mutex mutex_;
};

class SCOPED_CAPABILITY lock_guard {
public:
    explicit lock_guard(mutex& m) ACQUIRE(m) : mutex_{m} { m.lock(); }
    ~lock_guard() RELEASE() { mutex_.unlock(); }
    lock_guard(const lock_guard&) = delete;
    lock_guard& operator=(const lock_guard&) = delete;

private:
    mutex& mutex_;
};

// A lock_guard that can unlock the mutex and lock it again before its destruction, as a wait must.
class SCOPED_CAPABILITY unique_lock {
public:
    explicit unique_lock(mutex& m) ACQUIRE(m) : lock_{m.mutex_} {}
    ~unique_lock() RELEASE() = default;
    unique_lock(const unique_lock&) = delete;
    unique_lock& operator=(const unique_lock&) = delete;

    void unlock() RELEASE() { lock_.unlock(); }
    void lock() ACQUIRE() { lock_.lock(); }

private:
    friend class condition_variable;
    wrapped::unique_lock<wrapped::mutex> lock_;
};

class condition_variable {
public:
    condition_variable() = default;
    condition_variable(const condition_variable&) = delete;
    condition_variable& operator=(const condition_variable&) = delete;

    // Unlocks the mutex, waits, and locks the mutex again. May return without a notification. A Boost interruption
    // point, except with TURNSTILE_INTERRUPTION=OFF: throws boost::thread_interrupted with the mutex locked.
    void wait(unique_lock& held) { condition_.wait(held.lock_); }

    // Waits as wait() does, until `deadline` at the latest. Returns false if the deadline has passed. After a
    // suspension of the machine the wait ends late: pthreads cannot wait on CLOCK_BOOTTIME. Any deadline is allowed: if
    // the deadline is too far away for the wrapped class, the function waits in parts.
    bool wait_until(unique_lock& held, boottime_clock::time_point deadline) {
        const auto now = boottime_clock::now();
        if (deadline <= now) return false;
        const auto left = std::min<boottime_clock::duration>(deadline - now, k_longest_wait);
        condition_.wait_for(held.lock_, wrapped::chrono::nanoseconds{left.count()});
        return true;
    }

    void notify_one() noexcept { condition_.notify_one(); }
    void notify_all() noexcept { condition_.notify_all(); }

private:
    static constexpr std::chrono::hours k_longest_wait{24};

    wrapped::condition_variable condition_;
};

}  // namespace turnstile::base
