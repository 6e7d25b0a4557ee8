// SPDX-License-Identifier: Apache-2.0
// scenarios: what is drawn from a seed before a history of the project's own tests starts.
//
// A seed turns about half of the faults off and draws how often the others come: histories with few
// kinds of faults, but many of each, find what an even mixture hides ("swarm testing", Groce et al.,
// 2012).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simulation/scenario.hpp"

namespace turnstile::simulation {

[[nodiscard]] scenario draw_scenario(std::uint64_t seed);
// Without locks that a process shares.
[[nodiscard]] scenario draw_strict_scenario(std::uint64_t seed);
// The same for a recipe's work, with dice of its own where it is the recipe's (work/recipe_scenario.cpp).
[[nodiscard]] scenario draw_scenario(std::uint64_t seed, work_kind work);
// The same on a single server (single_scenario.cpp); of an ensemble, as above.
[[nodiscard]] scenario draw_scenario(std::uint64_t seed, work_kind work, server_kind servers);
// What the back ends declare of such a server.
[[nodiscard]] turnstile::promises promised_by(server_kind servers, const single_server_plan& plan);
// Makes some of the clients share locks among their threads.
void draw_sharing(dice& chance, scenario& s);

[[nodiscard]] std::string describe(const scenario& s);
// As `--work` has it: "deadlocks".
[[nodiscard]] std::string_view to_string(work_kind work) noexcept;
// As `--servers` has it: "redis".
[[nodiscard]] std::string_view to_string(server_kind servers) noexcept;

}  // namespace turnstile::simulation
