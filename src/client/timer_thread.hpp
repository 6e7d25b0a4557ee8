// SPDX-License-Identifier: Apache-2.0
// timer_thread: the timer thread of a client, or of several clients that share their threads (a runtime). It wakes
// sessions at their deadlines, with a timerfd on CLOCK_BOOTTIME. If the wall clock is changed, it wakes all sessions
// with an armed timer (core/lease/clock_watch.hpp). It runs no user code, so that user code cannot delay the end of a
// lease.
//
// The timers of one client form a *group* (client_timers), which stops with the client.
//
// Thread safety: all members from any thread. `arm` takes only the timer thread's lock.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"
#include "client/thread_start.hpp"
#include "support/descriptor.hpp"
#include "support/wake_up.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::detail {

class timer_thread {
public:
    // The object that a timer calls once, at the armed time or later. Exception: if the wall clock is changed, or if
    // the group stops, the timer calls the object at once. The object must live until the call has returned, disarm()
    // has returned, or the group has stopped.
    class client {
    public:
        virtual void on_timer() = 0;

    protected:
        ~client() = default;
    };
    // The timers of one client of a runtime. Only timer_thread uses the members.
    class group {
        friend class timer_thread;
        enum class life { open, stopping, stopped } state_ = life::open;
        std::map<client*, boottime_clock::time_point> armed_;
    };

    // Throws std::system_error if the system has no descriptor left, and boost::thread_resource_error if no thread can
    // be started.
    explicit timer_thread(const thread_start& start);
    ~timer_thread() { end(); }
    timer_thread(const timer_thread&) = delete;
    timer_thread& operator=(const timer_thread&) = delete;

    // Ends the thread. Every group must have stopped before.
    void end() noexcept;

    // ---- functions for client_timers ---------------------------------------------------------------
    void arm(group& of, client& called, boottime_clock::time_point when);
    void disarm(group& of, client& called) noexcept;
    void stop(group& of) noexcept;

private:
    void run();
    void watch_wall_clock() noexcept;
    bool run_due(bool everyone);
    // call() and stop_groups() unlock and relock `lock` through a reference; the compiler's thread-safety analysis
    // cannot follow that.
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
    support::wake_up woken_;
    const support::descriptor wall_clock_;  // empty: sessions check the clock only at other events
    mutable base::mutex mutex_;
    std::set<deadline> armed_ GUARDED_BY(mutex_);  // the timers of all groups
    boottime_clock::time_point set_for_ GUARDED_BY(mutex_) = boottime_clock::time_point::max();
    std::vector<group*> stopping_ GUARDED_BY(mutex_);
    client* called_ GUARDED_BY(mutex_) = nullptr;
    boost::thread::id caller_ GUARDED_BY(mutex_);
    base::condition_variable returned_;  // a call has returned, or a group has stopped
    bool ending_ GUARDED_BY(mutex_) = false;
    boost::thread thread_;  // declared last: it uses all members above
};

// The armed timers of one client, on a timer_thread that belongs to this client or that clients share.
class client_timers {
public:
    // Starts a timer thread for this client only. The thread ends with stop(). Throws what timer_thread throws.
    explicit client_timers(const thread_start& own)
        : own_{std::make_shared<timer_thread>(own)}, thread_{own_} {}
    explicit client_timers(std::shared_ptr<timer_thread> shared) : thread_{std::move(shared)} {}
    ~client_timers() { stop(); }
    client_timers(const client_timers&) = delete;
    client_timers& operator=(const client_timers&) = delete;

    // Calls `called` once at `when`. Replaces an earlier time for `called`. Does nothing after stop().
    void arm(timer_thread::client& called, boottime_clock::time_point when) {
        thread_->arm(group_, called, when);
    }
    // Ends the timer of `called`. Waits for a running call, except inside that call. Afterwards `called` is not called
    // until its timer is armed again.
    void disarm(timer_thread::client& called) noexcept { thread_->disarm(group_, called); }
    // Calls each object with an armed timer immediately and for the last time, so that no object waits for ever for its
    // timer. Afterwards no timer fires. Must not be called from a timer call.
    void stop() noexcept {
        thread_->stop(group_);
        if (own_) own_->end();
    }

private:
    const std::shared_ptr<timer_thread> own_{};
    const std::shared_ptr<timer_thread> thread_;
    timer_thread::group group_;
};

}  // namespace turnstile::detail
