// SPDX-License-Identifier: Apache-2.0
// bounds: what a search goes through.
#pragma once

#include <cstddef>

namespace turnstile::search {

// Ways in which the modelled world may break what the core relies on. Each of them must make the
// search find a breach, or it would not notice a core that breaks it by itself.
enum class wrong_world {
    none,
    early_expiry,  // the servers expire sessions whose lease still runs
    late_writes,   // a broken connection's writes may commit even after a new connection's write
    lost_watch,    // watches never fire
    blind_list,    // the list of children misses the one in front
    herd,          // every client is told of every deletion
};

// When a handle tells that requests of a broken connection will not be answered. The seam leaves it
// open.
enum class unanswered { after_detached, before_detached, after_attached };

inline constexpr unsigned k_most_clients = 3;

struct bounds {
    unsigned clients = 2;
    unsigned faults = 1;
    unsigned rounds = 1;        // acquisitions of each client
    unsigned early_timers = 0;  // timers that run while messages are under way
    unsigned depth = 1000;      // steps
    std::size_t states = 50'000'000;
    unanswered told = unanswered::after_detached;
    wrong_world wrong = wrong_world::none;
};

}  // namespace turnstile::search
