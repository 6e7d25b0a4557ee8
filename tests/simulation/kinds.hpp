// SPDX-License-Identifier: Apache-2.0
// The kinds of histories that the simulator's tool plays: one for each kind of work, and the hunt for
// counterexamples to the lease's rule.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "simulation/scenario.hpp"
#include "verification/lease_hunt.hpp"
#include "verification/scenarios.hpp"
#include "verification/simulator.hpp"

namespace turnstile::tests {

// Nothing: the hunt.
using history_kind = std::optional<simulation::work_kind>;

inline constexpr auto k_history_kinds = [] {
    std::array<history_kind, simulation::k_work_kinds.size() + 1> all{};  // the last one: the hunt
    for (std::size_t i = 0; i != simulation::k_work_kinds.size(); ++i)
        all[i] = simulation::k_work_kinds[i];
    return all;
}();

inline std::string_view to_string(const history_kind& kind) {
    return kind ? simulation::to_string(*kind) : "lease hunt";
}

inline simulation::outcome play(
    const history_kind& kind, std::uint64_t seed, const simulation::reduction& reduced = {},
    simulation::trace::detail detail = simulation::trace::detail::none) {
    if (!kind) return simulation::hunt(simulation::tried_rule::ours, seed, reduced, detail);
    return simulation::simulate(simulation::draw_scenario(seed, *kind), reduced, detail);
}

}  // namespace turnstile::tests
