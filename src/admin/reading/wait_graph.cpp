// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/wait_graph.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "admin/reading/cycles.hpp"
#include "turnstile/tools/path.hpp"

namespace turnstile::admin {
namespace {

std::string znode_of(const surveyed_lock& lock, const contender& each) {
    return child_path(lock.path, each.name);
}

// False for readers and upgradable readers: readers may share a lock with other readers and with one upgradable reader.
bool excludes_all(const contender& each) {
    return each.kind != contender_kind::reader && each.kind != contender_kind::upgradable;
}

bool exclude_each_other(const contender& a, const contender& b) {
    return excludes_all(a) || excludes_all(b) ||
           (a.kind == contender_kind::upgradable && b.kind == contender_kind::upgradable);
}

class builder {
public:
    explicit builder(const znode_set& before) : before_{before} {}

    void add(const surveyed_lock& lock) {
        if (lock.kind == lock_kind::semaphore || lock.waiters.empty()) return;
        std::vector<const contender*> ahead;
        for (const auto& each : lock.holders) ahead.push_back(&each);
        for (const auto& waiter : lock.waiters) {
            add_waits(lock, waiter, ahead);
            ahead.push_back(&waiter);
        }
    }
    wait_graph take() { return std::move(graph_); }

private:
    // Adds edges to contenders ahead, the nearest first. Stops at a contender that excludes all others, because its own
    // edges lead to the contenders further ahead. A waiting upgradable reader gets at most one edge to another
    // upgradable reader, because the edges of that other reader lead to the remaining upgradable readers.
    void add_waits(const surveyed_lock& lock, const contender& waiter,
                   const std::vector<const contender*>& ahead) {
        bool has_upgradable = false;
        for (auto each = ahead.rbegin(); each != ahead.rend(); ++each) {
            const bool upgradable = (*each)->kind == contender_kind::upgradable;
            const bool led_to = upgradable && !excludes_all(waiter) && has_upgradable;
            if (exclude_each_other(waiter, **each) && !led_to) add_edge(lock, waiter, **each);
            has_upgradable |= upgradable;
            if (excludes_all(**each)) return;
        }
    }
    void add_edge(const surveyed_lock& lock, const contender& waiter, const contender& other) {
        const bool confirmed =
            before_.contains(znode_of(lock, waiter)) && before_.contains(znode_of(lock, other));
        const auto from = node_of(lock, waiter);
        const auto to = node_of(lock, other);
        graph_.edges.push_back({from, to, lock.path, lock.kind, confirmed});
    }
    std::size_t node_of(const surveyed_lock& lock, const contender& each) {
        const auto& said = each.metadata;
        const auto id = said.owner.empty() ? znode_of(lock, each) : said.owner;
        const auto [found, is_new] = nodes_.try_emplace(id, graph_.nodes.size());
        if (is_new) graph_.nodes.push_back({id, label_of(each), said.host, said.pid, said.label});
        return found->second;
    }
    static std::string label_of(const contender& each) {
        const auto& said = each.metadata;
        std::string text = said.host.empty() ? each.name : said.host;
        if (!said.pid.empty()) text += " pid " + said.pid;
        if (!said.label.empty()) text += " (" + said.label + ")";
        return text;
    }

    const znode_set& before_;
    std::map<std::string, std::size_t> nodes_;
    wait_graph graph_;
};

// Removes edges beyond the limit, and nodes without edges. Removes edges of cycles last.
wait_graph cut(wait_graph whole, std::size_t most, const std::vector<std::size_t>& cycle_of) {
    const auto in_cycle = [&](const wait_graph::edge& each) {
        return cycle_of[each.from] != k_no_cycle && cycle_of[each.from] == cycle_of[each.to];
    };
    std::stable_partition(whole.edges.begin(), whole.edges.end(), in_cycle);
    whole.truncated = whole.edges.size() > most;
    if (!whole.truncated) return whole;
    whole.edges.resize(most);
    std::vector<std::optional<std::size_t>> places(whole.nodes.size());
    std::vector<wait_graph::node> nodes;
    const auto place = [&](std::size_t& node) {
        if (!places[node]) {
            places[node] = nodes.size();
            nodes.push_back(std::move(whole.nodes[node]));
        }
        node = *places[node];
    };
    for (auto* found : {&whole.cycles, &whole.possible})
        for (auto& cycle : *found)
            for (auto& node : cycle) place(node);
    for (auto& each : whole.edges) {
        place(each.from);
        place(each.to);
    }
    whole.nodes = std::move(nodes);
    return whole;
}

cycles cycles_of(const wait_graph& graph, bool confirmed_only) {
    std::vector<arrow> arrows;
    for (const auto& each : graph.edges)
        if (each.confirmed || !confirmed_only) arrows.push_back({each.from, each.to});
    return {graph.nodes.size(), arrows};
}

}  // namespace

znode_set znodes_of(const lock_survey& survey) {
    znode_set all;
    for (const auto& lock : survey.locks)
        for (const auto* part : {&lock.holders, &lock.waiters})
            for (const auto& each : *part) all.insert(znode_of(lock, each));
    return all;
}

wait_graph wait_graph_of(const lock_survey& survey, const znode_set& before,
                         const graph_limits& limits) {
    builder built{before};
    for (const auto& lock : survey.locks) built.add(lock);
    auto graph = built.take();
    const auto sure = cycles_of(graph, true);
    const auto all = cycles_of(graph, false);
    graph.cycles = sure.shortest(limits.cycles);
    graph.possible = all.shortest(limits.cycles);
    // Drops the possible cycles of each component that has a confirmed cycle.
    std::set<std::size_t> known;
    for (const auto& cycle : graph.cycles) known.insert(all.cycle_of()[cycle.front()]);
    std::erase_if(graph.possible,
                  [&](const auto& cycle) { return known.contains(all.cycle_of()[cycle.front()]); });
    return cut(std::move(graph), limits.edges, all.cycle_of());
}

}  // namespace turnstile::admin
