// SPDX-License-Identifier: Apache-2.0
// search: every interleaving of a few clients and a few faults, up to a given depth, breadth first.
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
    std::uint64_t states = 0;                   // distinct states
    std::uint64_t transitions = 0;              // steps from one state to another
    std::array<std::uint64_t, k_acts> taken{};  // transitions by their kind
    std::uint64_t ends = 0;                     // distinct states in which a history may end
    unsigned depth = 0;     // length of the longest among the shortest ways to a state
    bool complete = false;  // neither the bound of depth nor of states was reached
    // Interleavings: sequences of steps from the beginning to a state in which a history may end; and sequences that
    // the bounds cut off. Exact up to 2^53. Not counted if a breach was found.
    double histories = 0;
    double cut_off = 0;
    bool cycle = false;                  // the states contain one: infinitely many histories
    std::uint64_t distinct_clients = 0;  // values in the states
    std::uint64_t distinct_servers = 0;

    std::string breach;              // the broken promise; empty: none
    std::vector<std::string> story;  // the steps of a shortest history that leads there

    // Returns the findings as text, with the breach and its story if there is one.
    [[nodiscard]] std::string report() const;
};

[[nodiscard]] findings search_all(const bounds& limits);

}  // namespace turnstile::search
