// SPDX-License-Identifier: Apache-2.0
// timer_steps: what a session does because of the time (client_life.hpp); due_times says when.
//
// Thread safety: none.
#pragma once

#include "core/session/client_life.hpp"

namespace turnstile::core {

class timer_steps {
public:
    explicit timer_steps(client_life& life) : life_{life} {}

    // Does what is due.
    void on_time();
    // Before any other event: what comes too late does not bring a lost hold back.
    void judge_lease();
    // After any event: what an acquisition may not do to its session in the middle of a call.
    void finish();

private:
    void retry_if_due();
    void expire_deadlines();
    void expire(acquisition_id late);
    void expire(inquiry_id late);
    void expire(commit_id late);

    client_life& life_;
};

}  // namespace turnstile::core
