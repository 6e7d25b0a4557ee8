// SPDX-License-Identifier: Apache-2.0
// client_timers: the armed timers of one client, on a timer_thread that belongs to this client or that clients share.
//
// Thread safety: all members from any thread.
#pragma once

#include <memory>
#include <utility>

#include "client/timer_thread.hpp"

namespace turnstile::detail {

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
