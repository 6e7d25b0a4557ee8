// SPDX-License-Identifier: Apache-2.0
// search: plays all interleavings of a few clients and faults up to a depth, breadth first.
// docs/why/checks.md describes the search.
//
//     bounds limits;
//     limits.clients = 2;
//     limits.faults = 2;
//     const findings found = search_all(limits);
//     if (!found.breach.empty()) print(found.breach, found.story);
//
// The same bounds always give the same findings.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "verification/search/model.hpp"

namespace turnstile::search {

struct findings {
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;              // steps between states
    std::array<std::uint64_t, k_acts> taken{};  // transitions by their kind
    std::uint64_t ends = 0;                     // distinct states in which a history may end
    unsigned depth = 0;                         // largest distance from the first state, in steps
    bool complete = false;  // true: no promise was broken, and no bound ended the search
    // `histories` counts the step sequences from the first state to a state in which a history may end. `cut_off`
    // counts the step sequences from the first state to a state where a bound ended the search. Both are exact up to
    // 2^53. Both are 0 if a promise was broken.
    double histories = 0;
    double cut_off = 0;
    // The states form a cycle, so the number of histories is infinite.
    bool cycle = false;
    std::uint64_t distinct_clients = 0;  // distinct clients in all states
    std::uint64_t distinct_servers = 0;

    std::string breach;              // the broken promise; empty if none
    std::vector<std::string> story;  // the steps of a shortest history that breaks it

    // Returns the findings as text.
    [[nodiscard]] std::string report() const;
};

[[nodiscard]] findings search_all(const bounds& limits);

}  // namespace turnstile::search
