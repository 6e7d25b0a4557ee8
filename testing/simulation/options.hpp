// SPDX-License-Identifier: Apache-2.0
// options: converts a user's options for simulated servers into a scenario.
#pragma once

#include <string_view>

#include "simulation/scenario.hpp"
#include "turnstile/testing/simulation.hpp"

namespace turnstile::simulation {

// Throws std::invalid_argument, which names the caller, the value and the rule.
void check(std::string_view caller, const testing::simulation_options& options);
[[nodiscard]] scenario scenario_of(const testing::simulation_options& options);

}  // namespace turnstile::simulation
