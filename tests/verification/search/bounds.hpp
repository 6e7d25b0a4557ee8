// SPDX-License-Identifier: Apache-2.0
// bounds: the limits of a search.
#pragma once

#include <cstddef>

namespace turnstile::search {

// Ways in which the modelled world can violate an assumption of the core. The search must find a breach in each such
// world. Otherwise it would also miss a core that violates the assumption.
enum class wrong_world {
    none,
    early_expiry,  // the servers expire sessions whose lease still runs
    // servers may commit a broken connection's write even after a new connection's write
    late_writes,
    lost_watch,  // watches never fire
    blind_list,  // lists of children lack the first child
    herd,        // every client gets an event for every deletion
};

// The time at which a ZooKeeper client reports that a broken connection's requests will get no answer. The coordinator
// interface allows each of these.
enum class unanswered { after_detached, before_detached, after_attached };

inline constexpr unsigned k_most_clients = 3;

struct bounds {
    unsigned clients = 2;
    unsigned faults = 1;
    unsigned rounds = 1;        // number of each client's calls
    unsigned early_timers = 0;  // number of timers that run while messages are in progress
    unsigned depth = 1000;      // largest number of steps
    std::size_t states = 50'000'000;
    unanswered told = unanswered::after_detached;
    wrong_world wrong = wrong_world::none;
};

}  // namespace turnstile::search
