// SPDX-License-Identifier: Apache-2.0
// Scenarios for the schedule explorer: a client's actions in several threads, and conditions that must hold under every
// schedule. Each run of a scenario is a separate process.
#pragma once

#include <vector>

#include "schedule/explorer.hpp"

namespace turnstile::explore {

using namespace schedule;

[[nodiscard]] std::vector<scenario> queue_scenarios();  // callback_queue, worker_pool, thread_crew
[[nodiscard]] std::vector<scenario>
client_scenarios();  // close() beside acquire, release and commit
[[nodiscard]] std::vector<scenario> election_scenarios();  // leader

[[nodiscard]] inline std::vector<scenario> all_scenarios() {
    auto all = queue_scenarios();
    for (const auto more : {client_scenarios, election_scenarios})
        for (auto& scenario : more()) all.push_back(std::move(scenario));
    return all;
}

}  // namespace turnstile::explore
