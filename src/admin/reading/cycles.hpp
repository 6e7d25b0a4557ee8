// SPDX-License-Identifier: Apache-2.0
// cycles: finds the strongly connected components of a directed graph and, for each component, a shortest cycle through
// one of its nodes.
//
// Uses Tarjan's algorithm (Depth-first search and linear graph algorithms, SIAM Journal on Computing 1, 1972) without
// recursion, because a queue of 40,000 waiters is a path of 40,000 edges.
//
// Thread safety: a value.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace turnstile::admin {

struct arrow {
    std::size_t from = 0;
    std::size_t to = 0;
};

inline constexpr std::size_t k_no_cycle = std::numeric_limits<std::size_t>::max();

class cycles {
public:
    cycles(std::size_t nodes, const std::vector<arrow>& arrows);

    // For each node, the number of its component, or k_no_cycle for a node in no cycle.
    [[nodiscard]] const std::vector<std::size_t>& cycle_of() const noexcept { return cycle_of_; }
    // Returns at most `most` cycles: for each component, a shortest cycle through one of its nodes.
    [[nodiscard]] std::vector<std::vector<std::size_t>> shortest(std::size_t most) const;

private:
    struct search;
    [[nodiscard]] std::vector<std::size_t> shortest_through(std::size_t start) const;

    std::vector<std::vector<std::size_t>> next_;
    std::vector<std::size_t> cycle_of_;
    std::vector<std::size_t> first_;  // a node of each component
};

}  // namespace turnstile::admin
