// SPDX-License-Identifier: Apache-2.0
// simulator: one history of the shipped core on a modelled ensemble, from a seed.
//
//     const outcome result = simulate(42);
//     if (result.broken) std::cerr << result.report();
//
// Equal seeds give equal histories, event for event; `fingerprint` shows whether they did. A broken promise ends the
// history. No threads, no clock: one history is a pure function of its seed.
//
// To add a fault: name it in agenda.hpp, draw its frequency in scenarios.cpp, execute it in world.cpp. To add an
// invariant: invariants.hpp.
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
    std::string kind;  // an argument: " --work deadlocks"; empty for the default
    reduction reduced;
    std::size_t clients = 0;
    std::uint64_t drawn = 0;  // number of faults, before the reduction leaves some out
    std::uint64_t fingerprint = 0;
    std::uint64_t events = 0;
    std::uint64_t grants = 0;
    std::uint64_t batches = 0;  // batches of removals
    std::uint64_t creation_batches = 0;
    // On servers that do not promise exclusion: two holds that were valid at once. Of these: the later one has the
    // larger token; or it has the smaller one, because another client had removed the waiter and the servers brought
    // it back.
    std::uint64_t double_holds = 0;
    std::uint64_t refused_by_token = 0;
    std::uint64_t brought_back = 0;
    bool lost_data = false;  // data that clients had got
    bool broken = false;
    std::string invariant;  // the broken promise; empty if none
    std::string breach;
    std::string scenario;
    std::vector<std::string> story;         // only if traced
    std::vector<std::string> disturbances;  // only if traced: the faults

    // Returns the command that plays this history again: "scripts/simulate --seed 42 --work deadlocks --trace".
    [[nodiscard]] std::string replay() const;
    // Returns the seed, the promise, the faults, and the last events of the story.
    [[nodiscard]] std::string report(std::size_t last_events = 60) const;
};

[[nodiscard]] outcome simulate(std::uint64_t seed, const reduction& reduced = {},
                               trace::detail wanted = trace::detail::none);
// Plays a scenario made for a purpose.
[[nodiscard]] outcome simulate(scenario&& scenario, const reduction& reduced = {},
                               trace::detail wanted = trace::detail::none);

}  // namespace turnstile::simulation
