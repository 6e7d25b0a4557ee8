// SPDX-License-Identifier: Apache-2.0
// wait_graph: which owner waits for which over all locks, and the cycles in it, which can never end.
//
// A waiter of an exclusive lock waits for the one ahead of it, the first waiter for the holder; a reader of a
// shared_mutex for the last writer ahead, a writer for all since the last writer. What is farther ahead is reached over
// these. A semaphore's waiter waits for any of several: no edge. Owners are those of deadlock_detector
// (contender_metadata::owner); a contender that says none is an owner of its own, and so never in a cycle.
//
// The queues of a survey are of different instants. So a cycle is reported only if each contender of it is among those
// that were seen before any of the queues was listed: then all of them were there at the instant between. A znode's path
// tells whether it was: a contender's name has a GUID and a number, and is not used twice.
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
        std::string label;  // for people: host, pid and said in one line
        std::string host;
        std::string pid;
        std::string said;  // the contender's label
    };
    struct edge {
        std::size_t from = 0;  // in nodes
        std::size_t to = 0;
        std::string path;  // of the lock
        lock_kind kind = lock_kind::mutex;
        bool confirmed = false;  // both contenders were seen before
    };
    std::vector<node> nodes;
    std::vector<edge> edges;
    // Nodes, each waiting for the next one, the last for the first. One for each set of owners that wait for each other.
    std::vector<std::vector<std::size_t>> cycles;
    // Cycles with an edge that is not confirmed: perhaps the sum of several instants.
    std::vector<std::vector<std::size_t>> possible;
    bool truncated = false;  // not all edges are here; those of the cycles are
};

struct graph_limits {
    std::size_t edges = 2'000;
    std::size_t cycles = 100;
};

// The paths of contenders' znodes.
using znode_set = std::unordered_set<std::string>;
[[nodiscard]] znode_set znodes_of(const lock_survey& survey);

// `before`: contenders that were seen before any queue of the survey was listed.
[[nodiscard]] wait_graph wait_graph_of(const lock_survey& survey, const znode_set& before,
                                       const graph_limits& limits = {});

}  // namespace turnstile::admin
