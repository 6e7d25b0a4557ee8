// SPDX-License-Identifier: Apache-2.0
#include "verification/work/scenario_work.hpp"

#include "verification/work/commit_work.hpp"
#include "verification/work/deadlock_work.hpp"
#include "verification/work/election_work.hpp"
#include "verification/work/gate_work.hpp"
#include "verification/work/recursion_work.hpp"
#include "verification/work/workload.hpp"

namespace turnstile::simulation {

std::unique_ptr<application> make_work(sim_client& client, const scenario& scenario, dice& chance) {
    switch (scenario.work) {
        case work_kind::locks:
        case work_kind::sharing: return std::make_unique<workload>(client, scenario, chance);
        case work_kind::conversions: return std::make_unique<workload>(client, scenario, chance);
        case work_kind::recursion:
            return std::make_unique<recursion_work>(client, scenario, chance);
        case work_kind::deadlocks: return std::make_unique<deadlock_work>(client, scenario, chance);
        case work_kind::commits: return make_commit_work(client, scenario, chance);
        case work_kind::elections: return std::make_unique<election_work>(client, scenario, chance);
        case work_kind::jobs: return make_job_work(client, scenario, chance);
        case work_kind::rates: return make_rate_work(client, scenario, chance);
    }
    return nullptr;
}

}  // namespace turnstile::simulation
