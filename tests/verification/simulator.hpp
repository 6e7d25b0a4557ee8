// SPDX-License-Identifier: Apache-2.0
// simulator: one history of the shipped core on a modelled ensemble, from a seed.
//
//     const outcome result = simulate(42);
//     if (result.broken) std::cerr << result.report();
//
// Equal seeds give equal histories, event for event; `fingerprint` shows whether they did. A broken promise ends the
// history. No threads, no clock: one history is a pure function of its seed.
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
    // arguments of the tool for the kind of history: " --work deadlocks"; empty for the default
    std::string kind;
    reduction reduced;
    std::size_t clients = 0;
    std::uint64_t drawn = 0;  // number of faults, before the reduction leaves some out
    std::uint64_t fingerprint = 0;
    std::uint64_t events = 0;
    std::uint64_t grants = 0;
    std::uint64_t batches = 0;  // batches of removals
    std::uint64_t creation_batches = 0;
    // On servers that do not promise exclusion: `double_holds` counts pairs of holds that were valid at once.
    // `refused_by_token`: of these, the later hold has the larger token. `brought_back`: the later hold has the smaller
    // token, because another client had removed its waiter and the servers brought the waiter back.
    std::uint64_t double_holds = 0;
    std::uint64_t refused_by_token = 0;
    std::uint64_t brought_back = 0;
    bool lost_data = false;  // the servers lost data that clients had read
    bool broken = false;
    std::string invariant;  // the broken promise; empty if none
    std::string breach;
    std::string scenario;
    std::vector<std::string> story;         // empty unless traced
    std::vector<std::string> disturbances;  // the faults; empty unless traced

    // Returns the command that plays this history again: "scripts/simulate --seed 42 --work deadlocks --trace".
    [[nodiscard]] std::string replay() const;
    // Returns the seed, the broken promise, the faults, and the last events of the story.
    [[nodiscard]] std::string report(std::size_t last_events = 60) const;
};

[[nodiscard]] outcome simulate(std::uint64_t seed, const reduction& reduced = {},
                               trace::detail wanted = trace::detail::none);
// Plays a scenario that a test has prepared.
[[nodiscard]] outcome simulate(scenario&& scenario, const reduction& reduced = {},
                               trace::detail wanted = trace::detail::none);

}  // namespace turnstile::simulation
