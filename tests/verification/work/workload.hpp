// SPDX-License-Identifier: Apache-2.0
// workload: threads (workers) that take locks, hold them, release them, or give up waiting, as the seed says.
#pragma once

#include <optional>

#include "verification/work/crew.hpp"

namespace turnstile::simulation {

struct lock_worker : crew_member {
    core::claim wants;
    bool renaming = false;
    std::optional<core::contender_id> base;  // the upgradable hold of the current upgrade
};

class workload final : public crew<lock_worker> {
public:
    using crew::crew;

    void hear(const core::notice& notice) override;
    void stop() override;

private:
    void acquire(worker& actor) override;
    void lose_patience(worker& actor) override { client_.cancel(actor.current); }
    void go_on(worker& actor) override;
    void choose(worker& actor, core::acquire& call);
    void call(worker& actor, core::acquire&& call);
    void lose_base(worker& actor);
    void end_current(worker& actor);
    // Sometimes renames or upgrades the hold. Returns false if the worker should release it.
    bool converts(worker& actor);
};

}  // namespace turnstile::simulation
