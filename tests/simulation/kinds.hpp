// SPDX-License-Identifier: Apache-2.0
// Lists the kinds of histories that the tool turnstile_simulate plays: each kind of work on each kind of servers, and
// the search for counterexamples to the rule that says how long a lease is valid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "simulation/scenario.hpp"
#include "verification/lease_hunt.hpp"
#include "verification/scenarios.hpp"
#include "verification/simulator.hpp"

namespace turnstile::tests {

struct history_kind {
    std::optional<simulation::work_kind> work;  // empty: the hunt
    simulation::server_kind servers = simulation::server_kind::ensemble;
    friend bool operator==(const history_kind&, const history_kind&) = default;
};

// Each kind of work on each kind of servers. The last entry is the search for counterexamples to the rule that says how
// long a lease is valid.
inline constexpr auto k_history_kinds = [] {
    constexpr auto k_works = simulation::k_work_kinds.size();
    std::array<history_kind, simulation::k_server_kinds.size() * k_works + 1> all{};
    for (std::size_t i = 0; i + 1 != all.size(); ++i)
        all[i] = {simulation::k_work_kinds[i % k_works], simulation::k_server_kinds[i / k_works]};
    return all;
}();

inline std::string to_string(const history_kind& kind) {
    if (!kind.work) return "lease hunt";
    std::string text{simulation::to_string(*kind.work)};
    if (kind.servers != simulation::server_kind::ensemble)
        text += " on " + std::string{simulation::to_string(kind.servers)};
    return text;
}

inline simulation::outcome play(
    const history_kind& kind, std::uint64_t seed, const simulation::reduction& reduced = {},
    simulation::trace::detail detail = simulation::trace::detail::none) {
    if (!kind.work) return simulation::hunt(simulation::tried_rule::ours, seed, reduced, detail);
    return simulation::simulate(simulation::draw_scenario(seed, *kind.work, kind.servers), reduced,
                                detail);
}

}  // namespace turnstile::tests
