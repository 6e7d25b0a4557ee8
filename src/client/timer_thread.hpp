// SPDX-License-Identifier: Apache-2.0
// timer_thread: the client's housekeeping thread. Wakes sessions at their deadlines, on
// CLOCK_BOOTTIME by timerfd, and all that are armed when the wall clock is set (core/lease/clock_watch.hpp). It runs
// no user code: so nothing holds up the end of a lease.
//
// Thread safety: all members from any thread. `arm` only takes a lock of this class's own.
#pragma once

#include <map>

#include <boost/thread/thread.hpp>

#include "base/descriptor.hpp"
#include "base/mutex.hpp"
#include "base/wake_up.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::detail {

class timer_thread {
public:
    // Called at the armed time, or later, or for no reason; and once more when the thread stops. What is
    // armed stays until it is disarmed or the thread has stopped.
    class client {
    public:
        virtual void on_timer() = 0;

    protected:
        ~client() = default;
    };

    timer_thread();   // throws std::system_error when the system has no descriptor left
    ~timer_thread();  // stops
    timer_thread(const timer_thread&) = delete;
    timer_thread& operator=(const timer_thread&) = delete;

    // Calls `called` once at `when`; replaces what was armed for it. Does nothing once it stops.
    void arm(client& called, boottime_clock::time_point when);
    // After it returns `called` is called no more, unless it is armed again; waits for a call that is under
    // way, but not from inside it.
    void disarm(client& called) noexcept;
    // Calls what is armed for the last time, whatever the time: nothing waits for a call that never comes. After it returns nothing more is called.
    void stop() noexcept;

private:
    void run();
    void watch_wall_clock() noexcept;
    bool run_due(bool everyone);
    void set_timer() REQUIRES(mutex_);

    const base::descriptor timer_;
    base::wake_up woken_;
    const base::descriptor wall_clock_;  // or none: it is looked at when there is another reason
    mutable base::mutex mutex_;
    std::map<client*, boottime_clock::time_point> armed_ GUARDED_BY(mutex_);
    client* called_ GUARDED_BY(mutex_) = nullptr;
    boost::thread::id caller_ GUARDED_BY(mutex_);
    base::condition returned_;
    bool stopping_ GUARDED_BY(mutex_) = false;
    boost::thread thread_;  // last: it uses all of the above
};

}  // namespace turnstile::detail
