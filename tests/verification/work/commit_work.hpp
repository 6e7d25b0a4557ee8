// SPDX-License-Identifier: Apache-2.0
// commit_work: threads that write under a hold. Some writes also require that holds of other threads of the client
// exist.
#pragma once

#include <memory>

#include "simulation/application.hpp"
#include "simulation/dice.hpp"
#include "simulation/scenario.hpp"
#include "simulation/sim_client.hpp"

namespace turnstile::simulation {

[[nodiscard]] std::unique_ptr<application> make_commit_work(sim_client& client,
                                                            const scenario& scenario, dice& chance);

}  // namespace turnstile::simulation
