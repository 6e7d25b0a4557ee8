// SPDX-License-Identifier: Apache-2.0
// scenarios: draws the settings of a simulated history from a seed.
//
// A seed turns about half of the faults off and draws the frequency of the other faults: histories with few kinds of
// faults, but many of each, find bugs that an even mixture hides ("swarm testing", Groce et al., 2012).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simulation/scenario.hpp"

namespace turnstile::simulation {

[[nodiscard]] scenario draw_scenario(std::uint64_t seed);
// Draws a scenario in which the threads of a process do not share a lock.
[[nodiscard]] scenario draw_strict_scenario(std::uint64_t seed);
// Draws a scenario for a recipe. The recipe's settings have separate random numbers (work/recipe_scenario.cpp).
[[nodiscard]] scenario draw_scenario(std::uint64_t seed, work_kind work);
// Draws a scenario for a recipe on an ensemble, or on a single server (single_scenario.cpp).
[[nodiscard]] scenario draw_scenario(std::uint64_t seed, work_kind work, server_kind servers);
// Returns the promises that the back ends declare for a server with this plan.
[[nodiscard]] turnstile::promises promised_by(server_kind servers, const single_server_plan& plan);
// Makes some clients share locks among their threads.
void draw_sharing(dice& chance, scenario& s);

[[nodiscard]] std::string describe(const scenario& s);
// Returns the name that `--work` uses, such as "deadlocks".
[[nodiscard]] std::string_view to_string(work_kind work) noexcept;
// Returns the name that `--servers` uses, such as "redis".
[[nodiscard]] std::string_view to_string(server_kind servers) noexcept;

}  // namespace turnstile::simulation
