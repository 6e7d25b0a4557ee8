// SPDX-License-Identifier: Apache-2.0
// wait_graph: which owner waits for which other owner, over all locks, and the cycles (deadlocks). latest_graph: the
// graph of the latest snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "turnstile/clock.hpp"
#include "turnstile/lock_survey.hpp"

namespace turnstile::admin {

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
// Thread safety: a value; pure functions.
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

// The graph of waits between the owners of locks, computed once for each read of all locks (snapshot). Also keeps the
// contenders of an earlier read, which the computation needs.
//
// Thread safety: the mutex of `reader` guards this value. wait_graph_of() runs while that mutex is unlocked.
class latest_graph {
public:
    // Keeps the contenders of a survey (a read of all locks) for later graphs. A graph must show all locks at one
    // instant, but a survey reads one lock after another. `all_after`: an instant before the survey's first read. If an
    // earlier survey saw a contender before `all_after`, and this survey sees it, then it existed at `all_after`.
    void note(const lock_survey& survey, boottime_clock::time_point all_after) {
        if (next_before_at_ > all_after) return;
        before_ = std::exchange(next_before_, std::make_shared<znode_set>(znodes_of(survey)));
        next_before_at_ = boottime_clock::now();
    }
    [[nodiscard]] std::shared_ptr<const znode_set> before() const noexcept { return before_; }

    // Returns the graph of the snapshot with this version; null if it is not computed yet.
    [[nodiscard]] std::shared_ptr<const wait_graph> of(std::uint64_t version) const {
        return version_ == version ? graph_ : nullptr;
    }
    void keep(std::shared_ptr<const wait_graph> graph, std::uint64_t version) {
        graph_ = std::move(graph);
        version_ = version;
    }

private:
    std::shared_ptr<const znode_set> before_ = std::make_shared<znode_set>();
    std::shared_ptr<const znode_set> next_before_ = before_;
    boottime_clock::time_point next_before_at_{};
    std::shared_ptr<const wait_graph> graph_;
    std::uint64_t version_ = 0;
};

}  // namespace turnstile::admin
