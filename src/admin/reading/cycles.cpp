// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/cycles.hpp"

#include <algorithm>
#include <deque>

namespace turnstile::admin {

struct cycles::search {
    struct visit {
        std::size_t node = 0;
        std::size_t arrow = 0;  // index of the next arrow
    };

    explicit search(cycles& of)
        : graph{of}, order(of.next_.size(), 0), low(order), on_stack(order.size(), false) {}

    void from(std::size_t root) {
        enter(root);
        while (!path.empty()) {
            auto& now = path.back();
            const auto& next = graph.next_[now.node];
            if (now.arrow == next.size()) {
                leave();
                continue;
            }
            const auto to = next[now.arrow++];
            if (order[to] == 0) {
                enter(to);
            } else if (on_stack[to]) {
                low[now.node] = std::min(low[now.node], order[to]);
            }
        }
    }
    void enter(std::size_t node) {
        order[node] = low[node] = ++count;
        stack.push_back(node);
        on_stack[node] = true;
        path.push_back({node, 0});
    }
    void leave() {
        const auto node = path.back().node;
        path.pop_back();
        if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[node]);
        if (low[node] == order[node]) close_part(node);
    }
    void close_part(std::size_t root) {
        const auto begin = std::find(stack.rbegin(), stack.rend(), root).base() - 1;
        const auto& next = graph.next_[root];
        const bool cycle =
            stack.end() - begin > 1 || std::find(next.begin(), next.end(), root) != next.end();
        for (auto each = begin; each != stack.end(); ++each) {
            on_stack[*each] = false;
            if (cycle) graph.cycle_of_[*each] = graph.first_.size();
        }
        if (cycle) graph.first_.push_back(root);
        stack.erase(begin, stack.end());
    }

    cycles& graph;
    std::vector<std::size_t> order;  // 0: not visited
    std::vector<std::size_t> low;
    std::vector<bool> on_stack;
    std::vector<std::size_t> stack;
    std::vector<visit> path;
    std::size_t count = 0;
};

cycles::cycles(std::size_t nodes, const std::vector<arrow>& arrows)
    : next_(nodes), cycle_of_(nodes, k_no_cycle) {
    for (const auto& each : arrows) next_[each.from].push_back(each.to);
    search all{*this};
    for (std::size_t node = 0; node != nodes; ++node)
        if (all.order[node] == 0) all.from(node);
}

std::vector<std::size_t> cycles::shortest_through(std::size_t start) const {
    std::vector<std::size_t> came_from(next_.size(), k_no_cycle);
    std::deque<std::size_t> waiting{start};
    while (!waiting.empty()) {
        const auto node = waiting.front();
        waiting.pop_front();
        for (const auto to : next_[node]) {
            if (cycle_of_[to] != cycle_of_[start]) continue;
            if (to == start) {
                std::vector<std::size_t> way{node};
                while (way.back() != start) way.push_back(came_from[way.back()]);
                std::reverse(way.begin(), way.end());
                return way;
            }
            if (came_from[to] != k_no_cycle) continue;
            came_from[to] = node;
            waiting.push_back(to);
        }
    }
    return {};
}

std::vector<std::vector<std::size_t>> cycles::shortest(std::size_t most) const {
    std::vector<std::vector<std::size_t>> found;
    for (std::size_t i = 0; i != std::min(most, first_.size()); ++i)
        found.push_back(shortest_through(first_[i]));
    return found;
}

}  // namespace turnstile::admin
