// SPDX-License-Identifier: Apache-2.0
// timer_steps: the actions of a session that are due by time (session_owners.hpp), the lease first; due_times has the
// times.
//
// Thread safety: none.
#pragma once

#include "core/session/session_owners.hpp"

namespace turnstile::core {

class timer_steps {
public:
    explicit timer_steps(session_owners& owners) : owners_{owners} {}

    // Does what is due.
    void on_time();
    // Called before any other event: an answer that comes too late must not bring a lost hold back.
    void judge_lease();
    // Called after any event: does what a contender may not do to its session while it handles an event.
    void finish();

private:
    [[nodiscard]] bool has_come(const std::optional<time_point>& time) const {
        return core::has_come(time, owners_.basics.now);
    }
    // Holds whose lease has ended are lost.
    void end_lease_if_over();
    // Replaces a session that can no longer be proven to live, or that no server takes back (abandon_if_refused).
    void replace_if_broken();
    void abandon_if_refused();
    // Contenders that can never be granted on this connection give up.
    void fail_hopeless();
    void retry_if_due();
    void search_abandoned();
    void expire_deadlines();
    void expire(contender_id late);
    void expire(inquiry_id late);
    void expire(commit_id late);

    session_owners& owners_;
};

}  // namespace turnstile::core
