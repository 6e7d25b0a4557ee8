// SPDX-License-Identifier: Apache-2.0
#include "recipe/deadlock/wait_for_graph.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

namespace turnstile::detail {

namespace {

// Orders waits by age, which is the czxid of the contender's znode. Creates of one transaction have the same czxid.
// Then the names decide, so that every process finds the same order.
auto age(const contender& entry) {
    return std::tie(entry.token, entry.name);
}

}  // namespace

void forget_left_over(std::vector<lock_queue>& queues,
                      const std::function<bool(std::int64_t session)>& over) {
    for (auto& each : queues)
        std::erase_if(each.contenders,
                      [&over](const auto& entry) { return over(entry.session_id); });
}

wait_for_graph::wait_for_graph(std::vector<lock_queue> queues) : queues_{std::move(queues)} {
    for (std::size_t queue = 0; queue != queues_.size(); ++queue) {
        for (std::size_t position = 0; position != queues_[queue].contenders.size(); ++position) {
            const place where{queue, position};
            if (owner(where).empty()) continue;
            ++contenders_[owner(where)];
            if (position != 0) waits_[owner(where)].push_back(where);
        }
    }
}

// ---- the shortest cycle that a wait has closed -------------------------------------------------

// A breadth-first search from the newest wait, over older waits only. A vertex is a wait. For each contender ahead of
// this wait in its queue, the edges lead to the waits of the contender's owner. The search examines each position of a
// queue once.
class wait_for_graph::search {
public:
    search(const wait_for_graph& graph, place newest) : graph_{graph} {
        steps_.push_back({newest, 0, {}});
    }

    std::optional<deadlock> run() {
        for (std::size_t current = 0; current != steps_.size(); ++current)
            if (const auto last = expand(current)) return cycle(current, *last);
        return std::nullopt;
    }

private:
    // A wait that the search has reached from the wait in `steps_[from]`. The owner of `wait` blocks the wait in
    // `steps_[from]`: the owner's contender `blocker` is ahead in the queue of that wait.
    struct step {
        place wait;
        std::size_t from = 0;
        place blocker;
    };

    // Examines the contenders ahead of the wait in `steps_[current]`. For the owner of each contender, adds the owner's
    // waits to `steps_`, if they are older than the wait in `steps_.front()`. If one of the contenders belongs to the
    // owner of `steps_.front()`, the cycle is closed. Then this function returns the position of that contender.
    std::optional<place> expand(std::size_t current) {
        const auto wait = steps_[current].wait;
        for (auto& next = looked_at_[wait.queue]; next < wait.position; ++next) {
            const place blocker{wait.queue, next};
            const auto& owner = graph_.owner(blocker);
            if (owner == graph_.owner(steps_.front().wait)) return blocker;
            add_waits_of(owner, current, blocker);
        }
        return std::nullopt;
    }

    void add_waits_of(const std::string& owner, std::size_t current, place blocker) {
        const auto found = graph_.waits_.find(owner);
        // place: owner_waits_further
        if (found == graph_.waits_.end() || !seen_.emplace(owner, true).second) return;
        for (const auto wait : found->second)
            // place: newest_wait_gives_up
            if (age(graph_.at(wait)) < age(graph_.at(steps_.front().wait)))
                steps_.push_back({wait, current, blocker});
    }

    // Collects the steps from the last to the first, and then reverses them into the order of waiting.
    deadlock cycle(std::size_t last, place blocks_last) const {
        deadlock result;
        for (auto at = last; at != 0; at = steps_[at].from)
            result.members.push_back(member(steps_[at].wait, steps_[at].blocker));
        result.members.push_back(member(steps_.front().wait, blocks_last));
        std::reverse(result.members.begin(), result.members.end());
        return result;
    }

    [[nodiscard]] deadlock_member member(place wait, place blocker) const {
        return {graph_.owner(wait), graph_.queues_[blocker.queue].path, graph_.at(blocker),
                graph_.queues_[wait.queue].path, graph_.at(wait)};
    }

    const wait_for_graph& graph_;
    std::vector<step> steps_;
    std::map<std::string_view, bool> seen_;
    std::map<std::size_t, std::size_t> looked_at_;  // number of examined places, by queue
};

std::optional<deadlock> wait_for_graph::cycle_closed_by(place newest) const {
    return search{*this, newest}.run();
}

std::optional<deadlock> wait_for_graph::cycle_closed_by(std::string_view path,
                                                        std::string_view name) const {
    for (const auto& [owner, waits] : waits_)
        for (const auto wait : waits)
            if (queues_[wait.queue].path == path && at(wait).name == name)
                return cycle_closed_by(wait);
    return std::nullopt;
}

// ---- all cycles --------------------------------------------------------------------------------

// Returns, in linear time, the waits that are in a cycle and may have closed that cycle. The wait of an owner with only
// one contender has closed no cycle: when that wait began, no other contender of the owner blocked a queue. The
// vertices of the graph are waits and owners. Each wait has an edge to the wait directly ahead in its queue, and an
// edge to the owner of the contender directly ahead. Each owner has edges to its own waits.
std::vector<wait_for_graph::place> wait_for_graph::waits_that_may_close() const {
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph;
    std::map<std::string_view, std::size_t> owners;
    for (const auto& [owner, waits] : waits_) owners.emplace(owner, boost::add_vertex(graph));
    std::vector<std::pair<std::size_t, place>> waits;  // each with its vertex
    for (std::size_t queue = 0; queue != queues_.size(); ++queue) {
        std::optional<std::size_t> ahead;  // the wait at the position before
        for (std::size_t position = 1; position < queues_[queue].contenders.size(); ++position) {
            const auto vertex = boost::add_vertex(graph);
            if (ahead) boost::add_edge(vertex, *ahead, graph);
            const auto blocker = owners.find(owner({queue, position - 1}));
            if (blocker != owners.end()) boost::add_edge(vertex, blocker->second, graph);
            const auto mine = owners.find(owner({queue, position}));
            if (mine != owners.end()) {
                boost::add_edge(mine->second, vertex, graph);
                waits.emplace_back(vertex, place{queue, position});
            }
            ahead = vertex;
        }
    }

    std::vector<std::size_t> component(boost::num_vertices(graph));
    const auto count = boost::strong_components(
        graph, boost::make_iterator_property_map(component.begin(),
                                                 boost::get(boost::vertex_index, graph)));
    std::vector<std::size_t> sizes(count);
    for (const auto vertex : component) ++sizes[vertex];
    std::vector<place> found;
    for (const auto& [vertex, wait] : waits)
        if (sizes[component[vertex]] > 1 && contenders_.at(owner(wait)) > 1) found.push_back(wait);
    return found;
}

std::vector<deadlock> wait_for_graph::cycles() const {
    auto waits = waits_that_may_close();
    std::sort(waits.begin(), waits.end(),
              [this](place a, place b) { return age(at(b)) < age(at(a)); });
    std::vector<deadlock> found;
    for (const auto wait : waits)
        if (auto cycle = cycle_closed_by(wait)) found.push_back(std::move(*cycle));
    return found;
}

// ---- the second read of the queues ------------------------------------------------------------

std::vector<std::string> locks_of(const deadlock& found) {
    std::vector<std::string> paths;
    for (const auto& member : found.members) {
        paths.push_back(member.holds);
        paths.push_back(member.awaits);
    }
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    return paths;
}

bool still_stands(const deadlock& found, const std::vector<lock_queue>& queues) {
    const auto is_there = [&queues](const std::string& path, const contender& entry) {
        const auto queue = std::find_if(queues.begin(), queues.end(),
                                        [&path](const auto& each) { return each.path == path; });
        return queue != queues.end() &&
               std::any_of(queue->contenders.begin(), queue->contenders.end(),
                           [&entry](const auto& each) { return age(each) == age(entry); });
    };
    return std::all_of(found.members.begin(), found.members.end(), [&](const auto& member) {
        return is_there(member.holds, member.holding) && is_there(member.awaits, member.waiting);
    });
}

}  // namespace turnstile::detail
