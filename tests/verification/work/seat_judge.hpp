// SPDX-License-Identifier: Apache-2.0
// seat_judge: checks one participant of an election whenever none of its tasks is in progress. seat_judge knows the
// user's calls and the grants, and does not use the participant's state machine. A participant *takes part* from its
// start() until it is closed, refused or has led its last term.
//
// | name | judged                                                                                 |
// |------|----------------------------------------------------------------------------------------|
// | E2   | While the participant keeps a grant, the function for this grant runs.                 |
// | E3   | A participant that takes no part has no contender, once its function has returned.     |
// | E4   | A participant that takes part is in the queue, or its function runs.                   |
// | E5   | The function does not run twice at the same time.                                      |
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "verification/invariants.hpp"

namespace turnstile::simulation {

struct seat_judge {
    using turn = std::uint64_t;

    std::string name;
    bool takes_part =
        false;  // set by start(); cleared by close(), a refusal, a throwing executor or the last term
    std::size_t under_way = 0;  // tasks and notices in progress
    std::optional<turn> runs;   // the turn whose function or task runs
    std::set<turn> queued;      // turns that wait or hold
    std::set<turn> held;        // turns among `queued` that hold

    void begins(turn of) {
        if (runs) throw violation{"E5", name + " runs its function twice at a time"};
        runs = of;
    }
    void look() const {
        if (under_way != 0) return;
        for (const auto entry : held)
            if (runs != entry)
                throw violation{"E2", name + " keeps a grant, and its function is not called"};
        if (runs) return;
        if (!takes_part && !queued.empty())
            throw violation{"E3", name + " takes no part, and is in the queue"};
        if (takes_part && queued.empty())
            throw violation{"E4", name + " takes part, and is not in the queue"};
    }
};

}  // namespace turnstile::simulation
