// SPDX-License-Identifier: Apache-2.0
// client_timers: what one client has armed with a timer_thread, which is its own or shared with others.
//
// Thread safety: all members from any thread.
#pragma once

#include <memory>
#include <utility>

#include "client/timer_thread.hpp"

namespace turnstile::detail {

class client_timers {
public:
    // With a thread of its own, which ends as they stop. Throws what a timer_thread does.
    explicit client_timers(const thread_start& own)
        : own_{std::make_shared<timer_thread>(own)}, thread_{own_} {}
    explicit client_timers(std::shared_ptr<timer_thread> shared) : thread_{std::move(shared)} {}
    ~client_timers() { stop(); }
    client_timers(const client_timers&) = delete;
    client_timers& operator=(const client_timers&) = delete;

    // Calls `called` once at `when`; replaces what was armed for it. Does nothing once they stop.
    void arm(timer_thread::client& called, boottime_clock::time_point when) {
        thread_->arm(group_, called, when);
    }
    // After it returns `called` is called no more, unless it is armed again; waits for a call that is under
    // way, but not from inside it.
    void disarm(timer_thread::client& called) noexcept { thread_->disarm(group_, called); }
    // Calls what is armed for the last time, whatever the time: nothing waits for a call that never comes. After it
    // returns nothing more is called. Not in such a call.
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
