// SPDX-License-Identifier: Apache-2.0
// application: what the threads of a simulated client do with its locks. `workload` draws that from the
// seed; `script` does what a user's test says.
#pragma once

#include "core/contender/notice.hpp"
#include "core/session/session_core.hpp"
#include "simulation/agenda.hpp"

namespace turnstile::simulation {

class application {
public:
    application() = default;
    application(const application&) = delete;
    application& operator=(const application&) = delete;
    virtual ~application() = default;

    virtual void start() = 0;
    // Comes in the middle of a step of the client: it may plan, not call.
    virtual void hear(const core::notice& notice) = 0;
    // To what was asked or committed; also in the middle of a step.
    virtual void answered(const core::answer& /*of*/) {}
    virtual void answered(const core::commit_answer& /*of*/) {}
    virtual void wake(const worker_due& event) = 0;  // as planned by sim_client::wake_after
    // All waits end.
    virtual void all_give_up() {}
    virtual void stop() = 0;
    [[nodiscard]] virtual bool at_rest() const = 0;
};

}  // namespace turnstile::simulation
