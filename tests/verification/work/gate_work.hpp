// SPDX-License-Identifier: Apache-2.0
// gate_work: threads that run a job at most once in a period (job_gate), or enter at most a number of times
// (rate_gate), step by step, by the rules of the shipped recipes.
#pragma once

#include <memory>

#include "simulation/application.hpp"
#include "simulation/dice.hpp"
#include "simulation/scenario.hpp"
#include "simulation/sim_client.hpp"

namespace turnstile::simulation {

[[nodiscard]] std::unique_ptr<application> make_job_work(sim_client& client,
                                                         const scenario& scenario, dice& chance);
[[nodiscard]] std::unique_ptr<application> make_rate_work(sim_client& client,
                                                          const scenario& scenario, dice& chance);

}  // namespace turnstile::simulation
