// SPDX-License-Identifier: Apache-2.0
// simulator: plays one history of the shipped core on a modelled ensemble, from a seed.
//
//     const outcome result = simulate(42);
//     if (result.broken) std::cerr << result.report();
//
// Equal seeds give equal events, which `fingerprint` shows. A broken promise ends the history. There is no thread and
// no real clock.
//
// To add a fault, name it in agenda.hpp, draw its frequency in scenarios.cpp, and execute it in world.cpp. To add an
// invariant, see invariants.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulation/scenario.hpp"
#include "simulation/trace.hpp"
#include "verification/reduction.hpp"

namespace turnstile::simulation {

struct outcome {
    std::uint64_t seed = 0;
    // Arguments of the tool for this kind of history, such as " --work deadlocks"; empty for the default.
    std::string kind;
    reduction reduced;
    std::size_t clients = 0;
    std::uint64_t drawn = 0;  // faults before the reduction
    std::uint64_t fingerprint = 0;
    std::uint64_t events = 0;
    std::uint64_t grants = 0;
    std::uint64_t batches = 0;  // batches of removals
    std::uint64_t creation_batches = 0;
    // On servers that do not promise exclusion, `double_holds` counts pairs of holds that were valid at once.
    // `refused_by_token` counts the pairs whose later hold has the larger token. `brought_back` counts the pairs whose
    // later hold has the smaller token: another client had removed the later hold's znode, and the servers brought that
    // znode back.
    std::uint64_t double_holds = 0;
    std::uint64_t refused_by_token = 0;
    std::uint64_t brought_back = 0;
    bool lost_data = false;  // the servers lost data that clients had read
    bool broken = false;
    std::string invariant;  // the broken promise; empty if none
    std::string breach;
    std::string scenario;
    std::vector<std::string> story;         // empty without a trace
    std::vector<std::string> disturbances;  // the faults; empty without a trace

    // Returns the command that replays this history: "scripts/simulate --seed 42 --work deadlocks --trace".
    [[nodiscard]] std::string replay() const;
    // Returns the seed, the broken promise, the faults, and the last events of the history.
    [[nodiscard]] std::string report(std::size_t last_events = 60) const;
};

[[nodiscard]] outcome simulate(std::uint64_t seed, const reduction& reduced = {},
                               trace::detail wanted = trace::detail::none);
// Plays a scenario that a test prepared.
[[nodiscard]] outcome simulate(scenario&& scenario, const reduction& reduced = {},
                               trace::detail wanted = trace::detail::none);

}  // namespace turnstile::simulation
