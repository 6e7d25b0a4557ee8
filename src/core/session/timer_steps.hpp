// SPDX-License-Identifier: Apache-2.0
// timer_steps: executes the actions of a session that are due by time, the end of the lease first (session_owners.hpp).
// due_times.hpp computes these times.
//
// Thread safety: none.
#pragma once

#include "core/session/session_owners.hpp"

namespace turnstile::core {

class timer_steps {
public:
    explicit timer_steps(session_owners& owners) : owners_{owners} {}

    void on_time();
    // If the lease has run out, ends all holds. Replaces a session that can no longer prove that it lives. Called
    // before any other event, so that a late answer cannot bring a lost hold back.
    void judge_lease();
    // Called after any event: does the work that must wait until the contenders have handled the event.
    void finish();

private:
    [[nodiscard]] bool has_come(const std::optional<time_point>& time) const {
        return core::has_come(time, owners_.basics.now);
    }
    void end_lease_if_over();
    // replace_if_broken: replaces a session that can no longer prove that it lives. replace_if_refused: replaces a
    // session that no server takes back.
    void replace_if_broken();
    void replace_if_refused();
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
