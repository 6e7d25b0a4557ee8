// SPDX-License-Identifier: Apache-2.0
// search: plays every interleaving of a few clients and a few faults, up to a given depth, breadth first.
// docs/why/exhaustive-search.md describes it.
//
//     bounds limits;
//     limits.clients = 2;
//     limits.faults = 2;
//     const findings found = search_all(limits);
//     if (!found.breach.empty()) print(found.breach, found.story);
//
// Pure: the same bounds give the same findings.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "verification/search/model.hpp"

namespace turnstile::search {

struct findings {
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;              // steps that lead from one state to another
    std::array<std::uint64_t, k_acts> taken{};  // transitions by their kind
    std::uint64_t ends = 0;                     // distinct states in which a history may end
    unsigned depth = 0;     // largest distance of a state from the first state, in steps
    bool complete = false;  // true: the search ended before the bounds of depth and of states
    // `histories` counts the sequences of steps from the beginning to a state in which a history may end. `cut_off`
    // counts the sequences that the bounds cut off. Both are exact up to 2^53, and are not counted if a breach was
    // found.
    double histories = 0;
    double cut_off = 0;
    // the states form a cycle, so there are infinitely many histories
    bool cycle = false;
    std::uint64_t distinct_clients = 0;  // number of distinct values in all states
    std::uint64_t distinct_servers = 0;

    std::string breach;              // the broken promise; empty: none
    std::vector<std::string> story;  // the steps of a shortest history to the breach

    // Returns the findings as text, with the breach and its story if the search found one.
    [[nodiscard]] std::string report() const;
};

[[nodiscard]] findings search_all(const bounds& limits);

}  // namespace turnstile::search
