// SPDX-License-Identifier: Apache-2.0
// simulator: one history of the shipped core on a modelled ensemble, from a seed.
//
//     const outcome result = simulate(42);
//     if (result.broken) std::cerr << result.report();
//
// Equal seeds give equal histories, event for event; `fingerprint` tells whether they did. A broken
// promise ends the history. No threads, no clock: one history is a pure function of its seed.
//
// To add a fault: name it in agenda.hpp, draw how often it comes in scenarios.cpp, carry it out in
// world.cpp. To add an invariant: invariants.hpp.
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
    std::string kind;  // of history, as an argument: " --work deadlocks"; empty for the default
    reduction reduced;
    std::size_t clients = 0;
    std::uint64_t drawn = 0;  // what goes wrong, and what is left out of it
    std::uint64_t fingerprint = 0;
    std::uint64_t events = 0;
    std::uint64_t grants = 0;
    std::uint64_t batches = 0;  // of removals
    // Where the servers promise no more: two holds that were valid at once; of these, where the later one has the larger
    // token, and where it has not, being of a waiter that another client had removed and the servers brought back.
    std::uint64_t double_holds = 0;
    std::uint64_t refused_by_token = 0;
    std::uint64_t brought_back = 0;
    bool lost_data = false;  // of what clients knew
    bool broken = false;
    std::string invariant;  // the promise, if broken
    std::string breach;
    std::string scenario;
    std::vector<std::string> story;         // if traced
    std::vector<std::string> disturbances;  // if traced: what goes wrong

    // What plays this history again: "scripts/simulate --seed 42 --work deadlocks --trace".
    [[nodiscard]] std::string replay() const;
    // The seed, the promise, what goes wrong, and the last events of the story.
    [[nodiscard]] std::string report(std::size_t last_events = 60) const;
};

[[nodiscard]] outcome simulate(std::uint64_t seed, const reduction& reduced = {},
                               trace::detail wanted = trace::detail::none);
// A history that is made up for a purpose.
[[nodiscard]] outcome simulate(scenario&& scenario, const reduction& reduced = {},
                               trace::detail wanted = trace::detail::none);

}  // namespace turnstile::simulation
