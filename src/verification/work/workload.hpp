// SPDX-License-Identifier: Apache-2.0
// workload: threads (workers) that take locks, hold them for a while, release them, or give up waiting;
// all drawn from the seed.
#pragma once

#include <optional>

#include "verification/work/crew.hpp"

namespace turnstile::simulation {

struct lock_worker : crew_member {
    core::claim wants;
    bool renaming = false;
    std::optional<core::acquisition_id> base;  // the upgradable hold under the current upgrade
};

class workload final : public crew<lock_worker> {
public:
    using crew::crew;

    void hear(const core::notice& what) override;
    void stop() override;

private:
    void acquire(worker& one) override;
    void lose_patience(worker& one) override { client_.cancel(one.current); }
    void go_on(worker& one) override;
    void choose(worker& one, core::acquire& call);
    void call(worker& one, core::acquire&& call);
    void lose_base(worker& one);
    void end_current(worker& one);
    // What the holder of a read-write lock may do beside releasing it; false: it releases.
    bool converts(worker& one);
};

}  // namespace turnstile::simulation
