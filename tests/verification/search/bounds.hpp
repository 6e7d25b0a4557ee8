// SPDX-License-Identifier: Apache-2.0
// bounds: the limits of a search.
#pragma once

#include <cstddef>

namespace turnstile::search {

// Ways in which the modelled world can violate an assumption of the core. With each of them the search must find a
// breach; otherwise it would not notice a core that violates the assumption itself.
enum class wrong_world {
    none,
    early_expiry,  // the servers expire sessions whose lease still runs
    late_writes,   // a broken connection's writes may commit even after a new connection's write
    lost_watch,    // watches never fire
    blind_list,    // the list of children lacks the first one
    herd,          // every client gets the event of every deletion
};

// When a handle reports that requests of a broken connection will not be answered. The coordinator interface leaves
// it open.
enum class unanswered { after_detached, before_detached, after_attached };

inline constexpr unsigned k_most_clients = 3;

struct bounds {
    unsigned clients = 2;
    unsigned faults = 1;
    unsigned rounds = 1;        // each client's calls
    unsigned early_timers = 0;  // timers that run while messages are in progress
    unsigned depth = 1000;      // largest number of steps
    std::size_t states = 50'000'000;
    unanswered told = unanswered::after_detached;
    wrong_world wrong = wrong_world::none;
};

}  // namespace turnstile::search
