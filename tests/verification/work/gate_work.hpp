// SPDX-License-Identifier: Apache-2.0
// gate_work: threads that run a job at most once a period (job_gate), or enter at most so many times a period
// (rate_gate), by the shipped rules.
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
