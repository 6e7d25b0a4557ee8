// SPDX-License-Identifier: Apache-2.0
// latest_graph: the graph of waits between the owners of locks, computed once for each read of all locks (snapshot).
// Also keeps the contenders of an earlier read, which the computation needs.
//
// Thread safety: the mutex of `reader` guards this value. wait_graph_of() runs while that mutex is unlocked.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "admin/reading/wait_graph.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::admin {

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
