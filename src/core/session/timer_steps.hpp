// SPDX-License-Identifier: Apache-2.0
// timer_steps: what a session does because of the time (session_owners.hpp), its lease first; due_times says when.
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
    // Before any other event: what comes too late does not bring a lost hold back.
    void judge_lease();
    // After any event: what an acquisition may not do to its session in the middle of a call.
    void finish();

private:
    [[nodiscard]] bool has_come(const std::optional<time_point>& time) const {
        return core::has_come(time, owners_.basics.now);
    }
    // Holds whose lease is over are lost.
    void end_lease_if_over();
    // A session that nothing proves any more makes way for a new one, and one that no server takes back.
    void replace_if_broken();
    void abandon_if_refused();
    // Contenders that can never be granted on this connection give up.
    void fail_hopeless();
    void retry_if_due();
    void search_abandoned();
    void expire_deadlines();
    void expire(acquisition_id late);
    void expire(inquiry_id late);
    void expire(commit_id late);

    session_owners& owners_;
};

}  // namespace turnstile::core
