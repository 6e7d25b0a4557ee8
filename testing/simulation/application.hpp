// SPDX-License-Identifier: Apache-2.0
// application: the threads of a simulated client, which use its locks. `workload` draws their actions from the seed,
// and `script` runs a user's test.
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
    // Called in the middle of a step of the client. The application may plan actions, but must not call the client.
    virtual void hear(const core::notice& notice) = 0;
    // Reports the answer to a read or to a commit. Called in the middle of a step, as hear() is.
    virtual void answered(const core::answer& /*of*/) {}
    virtual void answered(const core::commit_answer& /*of*/) {}
    virtual void wake(const worker_due& event) = 0;  // for sim_client::wake_after
    // Makes all waiting threads give up.
    virtual void all_give_up() {}
    virtual void stop() = 0;
    [[nodiscard]] virtual bool at_rest() const = 0;
};

}  // namespace turnstile::simulation
