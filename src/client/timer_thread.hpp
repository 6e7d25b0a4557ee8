// SPDX-License-Identifier: Apache-2.0
// timer_thread: the housekeeping thread of a client, or of the clients of a runtime. Wakes sessions at their deadlines,
// on CLOCK_BOOTTIME by timerfd, and all that are armed when the wall clock is set (core/lease/clock_watch.hpp). It runs
// no user code: so nothing holds up the end of a lease.
//
// What a client arms is a *group* (client_timers.hpp), which stops with it.
//
// Thread safety: all members from any thread. `arm` only takes a lock of this class's own.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"
#include "base/wake_up.hpp"
#include "client/thread_start.hpp"
#include "support/descriptor.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::detail {

class timer_thread {
public:
    // Called at the armed time, or later, or for no reason; and once more when its group stops. What is
    // armed stays until it is disarmed or the group has stopped.
    class client {
    public:
        virtual void on_timer() = 0;

    protected:
        ~client() = default;
    };
    // Has what one client of a runtime has armed; its members are this class's.
    class group {
        friend class timer_thread;
        enum class life { open, stopping, stopped } state_ = life::open;
        std::map<client*, boottime_clock::time_point> armed_;
    };

    // Throws std::system_error when the system has no descriptor left, boost::thread_resource_error for want of a
    // thread.
    explicit timer_thread(const thread_start& start);
    ~timer_thread() { end(); }
    timer_thread(const timer_thread&) = delete;
    timer_thread& operator=(const timer_thread&) = delete;

    // Every group has stopped.
    void end() noexcept;

    // ---- for client_timers -------------------------------------------------------------------------
    void arm(group& of, client& called, boottime_clock::time_point when);
    void disarm(group& of, client& called) noexcept;
    void stop(group& of) noexcept;

private:
    void run();
    void watch_wall_clock() noexcept;
    bool run_due(bool everyone);
    // Lets the lock go meanwhile: through a reference, which the analysis does not follow.
    void call(base::unique_lock& lock, group& of, client& armed)
        REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    void stop_groups(base::unique_lock& lock) REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    void forget(group& of, client& called) REQUIRES(mutex_);
    void set_timer() REQUIRES(mutex_);

    struct deadline {
        boottime_clock::time_point when;
        client* called = nullptr;
        group* of = nullptr;
        friend auto operator<=>(const deadline&, const deadline&) = default;
    };

    const support::descriptor timer_;
    base::wake_up woken_;
    const support::descriptor wall_clock_;  // or none: it is looked at when there is another reason
    mutable base::mutex mutex_;
    std::set<deadline> armed_ GUARDED_BY(mutex_);  // of all groups
    boottime_clock::time_point set_for_ GUARDED_BY(mutex_) = boottime_clock::time_point::max();
    std::vector<group*> stopping_ GUARDED_BY(mutex_);
    client* called_ GUARDED_BY(mutex_) = nullptr;
    boost::thread::id caller_ GUARDED_BY(mutex_);
    base::condition returned_;  // a call; and a group has stopped
    bool ending_ GUARDED_BY(mutex_) = false;
    boost::thread thread_;  // last: it uses all of the above
};

}  // namespace turnstile::detail
