// SPDX-License-Identifier: Apache-2.0
// bounds: the limits of a search.
#pragma once

#include <cstddef>

namespace turnstile::search {

// Kinds of faulty servers. Each kind violates one assumption of the core. A test checks that the search finds a broken
// promise with each kind. A search that misses a kind would also miss a fault of the core with the same effect.
enum class wrong_world {
    none,
    early_expiry,  // the servers expire sessions whose lease is still valid
    // The servers may commit a write of a broken connection after a write of the new connection.
    late_writes,
    lost_watch,  // watches never fire
    blind_list,  // lists of children lack the first child
    herd,        // every client gets an event for every deletion
};

// The time at which the ZooKeeper client reports to the core that a broken connection's requests will get no answer.
// The coordinator interface allows all three times.
enum class unanswered { after_detached, before_detached, after_attached };

inline constexpr unsigned k_most_clients = 3;

struct bounds {
    unsigned clients = 2;
    unsigned faults = 1;
    unsigned rounds = 1;        // calls of each client
    unsigned early_timers = 0;  // timers that run while messages are in progress
    unsigned depth = 1000;      // most steps of a history
    std::size_t states = 50'000'000;
    unanswered told = unanswered::after_detached;
    wrong_world wrong = wrong_world::none;
};

}  // namespace turnstile::search
