// SPDX-License-Identifier: Apache-2.0
// seat_judge: what one participant of an election owes, whatever its state says: judged from what its user
// said and what it was granted, whenever nothing of it is under way.
//
// | name | judged                                                                                   |
// |------|------------------------------------------------------------------------------------------|
// | E2   | a grant's function runs or is about to, else the grant is given back                     |
// | E3   | one that takes no part has nothing in the queue, once its function has returned          |
// | E4   | one that takes part is in the queue, or its function runs                                |
// | E5   | the function does not run twice at a time                                                |
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
    bool takes_part = false;    // by what its user said, and what it was told
    std::size_t under_way = 0;  // tasks and news that have not arrived
    std::optional<turn> runs;   // whose function, or the task around it
    std::set<turn> queued;      // waits, or holds
    std::set<turn> held;        // of those

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
