// SPDX-License-Identifier: Apache-2.0
// latest_graph: the wait graph of the last snapshot, computed once for each snapshot, and the contenders that were seen
// before the snapshot's oldest read.
//
// Thread safety: a value under the reader's lock. wait_graph_of() runs outside that lock.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "admin/reading/wait_graph.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::admin {

class latest_graph {
public:
    // Keeps the contenders for the graph, which must show all locks at one instant. Locks are read one after another,
    // each after `all_after`. So a contender existed at `all_after` if it was seen before that instant and is seen now.
    void note(const lock_survey& survey, boottime_clock::time_point all_after) {
        if (next_before_at_ > all_after) return;
        before_ = std::exchange(next_before_, std::make_shared<znode_set>(znodes_of(survey)));
        next_before_at_ = boottime_clock::now();
    }
    // Returns the contenders with which the graph is computed.
    [[nodiscard]] std::shared_ptr<const znode_set> before() const noexcept { return before_; }

    // Returns the graph of the snapshot with this version; null if it was not computed yet.
    [[nodiscard]] std::shared_ptr<const wait_graph> of(std::uint64_t version) const {
        return version_ == version ? graph_ : nullptr;
    }
    void keep(std::shared_ptr<const wait_graph> graph, std::uint64_t version) {
        graph_ = std::move(graph);
        version_ = version;
    }

private:
    std::shared_ptr<const znode_set> before_ = std::make_shared<znode_set>();
    // The contenders that replace `before_` later.
    std::shared_ptr<const znode_set> next_before_ = before_;
    boottime_clock::time_point next_before_at_{};
    std::shared_ptr<const wait_graph> graph_;
    std::uint64_t version_ = 0;
};

}  // namespace turnstile::admin
