// SPDX-License-Identifier: Apache-2.0
// wait_graph: which owner waits for which other owner, over all locks, and the cycles (deadlocks).
//
// A waiter of an exclusive lock has an edge to the contender directly ahead. A reader of a shared_mutex has an edge to
// the last writer ahead. A writer has edges to all contenders ahead, back to the last writer. Several edges in sequence
// lead to contenders further ahead. A semaphore's waiter waits for any of several contenders, so it has no edge.
//
// "Owner" has the same meaning as in deadlock_detector (contender_metadata::owner). A contender without an owner counts
// as a separate owner, and is never in a cycle.
//
// A survey reads the queues at different times. So a cycle is confirmed only if each of its contenders was already seen
// before the survey listed its first queue. All of them then existed at the instant at which the survey began. The
// graph recognizes a contender by its znode's path. This is safe for a contender that has an owner: only this library
// writes owners, and the names of its znodes have a GUID and never occur again.
//
// Thread safety: a pure function.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>
#include <vector>

#include "turnstile/lock_survey.hpp"

namespace turnstile::admin {

struct wait_graph {
    struct node {
        std::string id;     // the owner
        std::string label;  // host, pid and label in one line, for people
        std::string host;
        std::string pid;
        std::string said;  // the contender's label
    };
    struct edge {
        std::size_t from = 0;  // index in nodes
        std::size_t to = 0;
        std::string path;  // the lock's
        lock_kind kind = lock_kind::mutex;
        bool confirmed = false;  // both contenders were seen before the survey
    };
    std::vector<node> nodes;
    std::vector<edge> edges;
    // Lists of nodes. Each node waits for the next node, and the last node waits for the first. There is one cycle for
    // each set of owners that wait for each other.
    std::vector<std::vector<std::size_t>> cycles;
    // Cycles with an unconfirmed edge. Such a cycle may never have existed, because the edges were read from the
    // servers at different times.
    std::vector<std::vector<std::size_t>> possible;
    bool truncated = false;  // some edges are missing, but none of a cycle
};

struct graph_limits {
    std::size_t edges = 2'000;
    std::size_t cycles = 100;
};

using znode_set = std::unordered_set<std::string>;
[[nodiscard]] znode_set znodes_of(const lock_survey& survey);

// `before`: the contenders that were seen before the survey listed its first queue.
[[nodiscard]] wait_graph wait_graph_of(const lock_survey& survey, const znode_set& before,
                                       const graph_limits& limits = {});

}  // namespace turnstile::admin
