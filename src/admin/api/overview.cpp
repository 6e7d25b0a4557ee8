// SPDX-License-Identifier: Apache-2.0
#include "admin/api/overview.hpp"

#include <algorithm>

#include "admin/api/aged_json.hpp"
#include "admin/api/lock_filter.hpp"
#include "admin/api/lock_page.hpp"
#include "admin/http/refusal.hpp"
#include "admin/reading/distribution.hpp"
#include "support/hexadecimal.hpp"

namespace turnstile::admin {
namespace {

constexpr std::size_t k_longest_holds = 10;
constexpr std::size_t k_most_templates = 20;

template <class T>
json or_null(const std::optional<T>& value) {
    return value ? json(*value) : json(nullptr);
}

json servers_of(site& at) {
    auto all = json::array();
    for (const auto& each : at.health.look())
        all.push_back({{"address", each.address},
                       {"role", to_string(each.role)},
                       {"reachable", each.reachable},
                       {"version", each.version.empty() ? json(nullptr) : json(each.version)},
                       {"latency_ms", or_null(each.latency_ms)},
                       {"connections", or_null(each.connections)},
                       {"problem", each.problem.empty() ? json(nullptr) : json(each.problem)}});
    return all;
}

json session_of(const client& servers) {
    const auto session = servers.session();
    return {{"state", to_string(session.state)},
            {"id", support::hexadecimal_number(session.id)},
            {"timeout_ms", session.timeout.count()}};
}

json longest_holds(const snapshot& seen, wall_time now) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i != seen.survey.locks.size(); ++i)
        if (seen.held_since[i] && !seen.survey.locks[i].holders.empty()) places.push_back(i);
    const auto count = std::min(k_longest_holds, places.size());
    std::partial_sort(
        places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count), places.end(),
        [&](std::size_t a, std::size_t b) { return *seen.held_since[a] < *seen.held_since[b]; });
    auto all = json::array();
    for (std::size_t i = 0; i != count; ++i) {
        const auto& lock = seen.survey.locks[places[i]];
        all.push_back({{"path", lock.path},
                       {"kind", to_string(lock.kind)},
                       {"holder", aged(lock.holders.front(), now)},
                       {"held_for_ms", age_ms(*seen.held_since[places[i]], now)}});
    }
    return all;
}

}  // namespace

json json_of(const lock_totals& totals) {
    return {{"locks", totals.locks},         {"held", totals.held},
            {"contended", totals.contended}, {"contenders", totals.contenders},
            {"sessions", totals.sessions},   {"unreadable", totals.unreadable}};
}

json overview(site& at, const query&) {
    const auto seen = at.reading.look();
    const auto& shown = required(seen);
    const auto counts = at.reading.counts();
    return {{"servers", servers_of(at)},
            {"session", session_of(at.servers)},
            {"totals", json_of(shown.totals)},
            {"longest_holds", longest_holds(shown, clock_of(seen))},
            {"requests", {{"total", counts.requests}, {"per_second", counts.requests_per_second}}},
            {"watchers", at.traffic().streams},
            {"read_only", at.read_only},
            {"meta", meta_of(seen)}};
}

json templates(site& at, const query&) {
    const auto seen = at.reading.look();
    auto all = json::array();
    const auto times = at.reading.from_history(
        [](const auto& known) { return times_by_template(known, k_most_templates); });
    for (const auto& each : times)
        all.push_back({{"template", each.form},
                       {"locks", each.locks},
                       {"hold_ms", json_of(each.holds)},
                       {"wait_ms", json_of(each.waits)},
                       {"released", each.released},
                       {"taken", each.taken},
                       {"unknown", each.unknown}});
    return {{"templates", std::move(all)}, {"meta", meta_of(seen)}};
}

namespace {

json ids_of(const wait_graph& graph, const std::vector<std::vector<std::size_t>>& cycles) {
    auto all = json::array();
    for (const auto& cycle : cycles) {
        auto ids = json::array();
        for (const auto node : cycle) ids.push_back(graph.nodes[node].id);
        all.push_back(std::move(ids));
    }
    return all;
}

}  // namespace

json waits(site& at, const query&) {
    const auto seen = at.reading.look();
    const auto meta = meta_of(seen);
    const auto graph = at.reading.graph();
    json result{{"nodes", json::array()}, {"edges", json::array()}};
    for (const auto& each : graph->nodes)
        result["nodes"].push_back({{"id", each.id},
                                   {"label", each.label},
                                   {"host", each.host},
                                   {"pid", each.pid},
                                   {"said", each.said}});
    for (const auto& each : graph->edges)
        result["edges"].push_back({{"from", graph->nodes[each.from].id},
                                   {"to", graph->nodes[each.to].id},
                                   {"path", each.path},
                                   {"kind", to_string(each.kind)},
                                   {"confirmed", each.confirmed}});
    result["cycles"] = ids_of(*graph, graph->cycles);
    result["possible"] = ids_of(*graph, graph->possible);
    result["truncated"] = graph->truncated;
    result["meta"] = meta;
    return result;
}

namespace {

constexpr number_range k_offsets{.least = 0, .most = 10'000'000};
constexpr std::size_t k_shown = 3;  // holders, and as many waiters

lock_order order_of(const std::string& word) {
    if (word == "contended") return lock_order::contended;
    if (word == "path") return lock_order::path;
    if (word == "held") return lock_order::held;
    throw refusal{400, "bad_request", "sort is " + word + ": expected contended, path or held"};
}

lock_filter filter_of(const query& asked) {
    lock_filter filter;
    filter.prefix = asked.text("prefix").value_or("");
    filter.holder = asked.text("holder").value_or("");
    const auto kind = asked.text("kind").value_or("");
    if (!kind.empty()) filter.kind = lock_kind_named(kind);
    filter.order = order_of(asked.text("sort").value_or("contended"));
    return filter;
}

}  // namespace

json lock_list(site& at, const query& asked) {
    const auto filter = filter_of(asked);
    const auto offset = asked.number("offset", 0, k_offsets);
    const auto limit = page_size(asked);
    const auto seen = at.reading.look();
    const auto& shown = required(seen);
    const auto places = chosen_locks(shown, filter);
    auto locks = json::array();
    for (auto i = offset; i < std::min<std::size_t>(offset + limit, places.size()); ++i)
        locks.push_back(lock_json(shown, places[i], clock_of(seen), k_shown));
    return {{"total", places.size()},
            {"offset", offset},
            {"limit", limit},
            {"locks", std::move(locks)},
            {"unreadable", shown.survey.unreadable},
            {"meta", meta_of(seen)}};
}

}  // namespace turnstile::admin
