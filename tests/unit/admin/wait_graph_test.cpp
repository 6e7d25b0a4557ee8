// SPDX-License-Identifier: Apache-2.0
// Tests the graph of owners that wait for other owners, and its cycles. Also tests that the server has the routes of
// the OpenAPI document.
#include "admin/reading/wait_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "admin/api/routes.hpp"
#include "admin/assets.hpp"
#include "admin/reading/cycles.hpp"

namespace turnstile::admin {
namespace {

contender make_contender(const std::string& owner, contender_kind kind = contender_kind::mutex) {
    contender entry;
    static int count = 0;
    entry.name = "znode-" + std::to_string(++count);
    entry.kind = kind;
    entry.metadata.owner = owner;
    entry.metadata.host = "web";
    return entry;
}

// Makes a lock. Its first contender holds it, and the others wait in order.
surveyed_lock queue(const std::string& path, std::vector<contender> contenders,
                    lock_kind kind = lock_kind::mutex) {
    surveyed_lock lock{.path = path, .kind = kind, .contenders = contenders.size()};
    lock.holders.push_back(contenders.front());
    lock.waiters.assign(contenders.begin() + 1, contenders.end());
    return lock;
}

using names = std::vector<std::string>;

std::set<names> edges_of(const wait_graph& graph) {
    std::set<names> all;
    for (const auto& each : graph.edges)
        all.insert({graph.nodes[each.from].id, graph.nodes[each.to].id, each.path});
    return all;
}

std::vector<names> cycles_of(const wait_graph& graph) {
    std::vector<names> all;
    for (const auto& cycle : graph.cycles) {
        names owners;
        for (const auto node : cycle) owners.push_back(graph.nodes[node].id);
        std::rotate(owners.begin(), std::min_element(owners.begin(), owners.end()), owners.end());
        all.push_back(owners);
    }
    return all;
}

wait_graph graph_of(const lock_survey& survey, const graph_limits& limits = {}) {
    return wait_graph_of(survey, znodes_of(survey), limits);
}

TEST(admin_wait_graph, each_waits_for_the_one_ahead) {
    const lock_survey survey{
        {queue("/a", {make_contender("x"), make_contender("y"), make_contender("z")})}, {}};
    EXPECT_EQ(edges_of(graph_of(survey)), (std::set<names>{{"y", "x", "/a"}, {"z", "y", "/a"}}));
    EXPECT_TRUE(graph_of(survey).cycles.empty());
}

TEST(admin_wait_graph, two_that_wait_for_each_other) {
    const lock_survey survey{
        {queue("/a", {make_contender("x"), make_contender("z"), make_contender("y")}),
         queue("/b", {make_contender("y"), make_contender("x")})},
        {}};
    EXPECT_EQ(cycles_of(graph_of(survey)), (std::vector<names>{{"x", "y", "z"}}));
}

TEST(admin_wait_graph, one_that_waits_for_itself) {
    const lock_survey survey{{queue("/a", {make_contender("x"), make_contender("x")})}, {}};
    EXPECT_EQ(cycles_of(graph_of(survey)), (std::vector<names>{{"x"}}));
}

TEST(admin_wait_graph, a_cycle_was_there_before) {
    const auto first = queue("/a", {make_contender("x"), make_contender("y")});
    const auto second = queue("/b", {make_contender("y"), make_contender("x")});
    const lock_survey now{{first, second}, {}};
    EXPECT_TRUE(wait_graph_of(now, znodes_of({{first}, {}})).cycles.empty());
    EXPECT_EQ(wait_graph_of(now, znodes_of({{first}, {}})).edges.size(), 2U);
    EXPECT_EQ(wait_graph_of(now, znodes_of(now)).cycles.size(), 1U);
}

// Each round of a survey reads the locks at different times, so its cycles may be false. A cycle counts as confirmed
// when the next round shows it, too.
TEST(admin_wait_graph, a_cycle_that_is_not_confirmed_is_possible) {
    const auto first = queue("/a", {make_contender("x"), make_contender("y")});
    const auto second = queue("/b", {make_contender("y"), make_contender("x")});
    const lock_survey now{{first, second}, {}};
    const auto early = wait_graph_of(now, znodes_of({{first}, {}}));
    ASSERT_EQ(early.possible.size(), 1U);
    EXPECT_EQ(early.possible.front().size(), 2U);
    const auto late = wait_graph_of(now, znodes_of(now));
    EXPECT_TRUE(late.possible.empty());
    EXPECT_EQ(late.cycles.size(), 1U);
}

TEST(admin_wait_graph, a_possible_cycle_beside_a_confirmed_one) {
    const auto sure = {queue("/a", {make_contender("x"), make_contender("y")}),
                       queue("/b", {make_contender("y"), make_contender("x")})};
    std::vector<surveyed_lock> all{sure};
    all.push_back(queue("/c", {make_contender("v"), make_contender("w")}));
    all.push_back(queue("/d", {make_contender("w"), make_contender("v")}));
    const auto graph = wait_graph_of({all, {}}, znodes_of({sure, {}}));
    EXPECT_EQ(cycles_of(graph), (std::vector<names>{{"x", "y"}}));
    ASSERT_EQ(graph.possible.size(), 1U);
    for (const auto node : graph.possible.front())
        EXPECT_TRUE(graph.nodes[node].id == "v" || graph.nodes[node].id == "w");
}

TEST(admin_wait_graph, what_is_cut_is_no_possible_cycle) {
    std::vector<contender> many;
    for (int i = 0; i != 50; ++i) many.push_back(make_contender("waiter-" + std::to_string(i)));
    const lock_survey survey{
        {queue("/0", std::move(many)), queue("/a", {make_contender("x"), make_contender("y")}),
         queue("/b", {make_contender("y"), make_contender("x")})},
        {}};
    const auto graph = wait_graph_of(survey, {}, {.edges = 5, .cycles = 10});
    ASSERT_EQ(graph.possible.size(), 1U);
    std::set<std::string> owners;
    for (const auto node : graph.possible.front()) owners.insert(graph.nodes.at(node).id);
    EXPECT_EQ(owners, (std::set<std::string>{"x", "y"}));
    EXPECT_TRUE(edges_of(graph).contains({"x", "y", "/b"}));
}

TEST(admin_wait_graph, without_an_owner_there_is_no_cycle) {
    const lock_survey survey{{queue("/a", {make_contender(""), make_contender("")}),
                              queue("/b", {make_contender(""), make_contender("")})},
                             {}};
    const auto graph = graph_of(survey);
    EXPECT_EQ(graph.nodes.size(), 4U);
    EXPECT_EQ(graph.edges.size(), 2U);
    EXPECT_TRUE(graph.cycles.empty());
}

TEST(admin_wait_graph, readers_and_writers) {
    const auto kind = lock_kind::shared_mutex;
    auto lock = queue(
        "/a",
        {make_contender("r1", contender_kind::reader), make_contender("w1", contender_kind::writer),
         make_contender("r2", contender_kind::reader),
         make_contender("u", contender_kind::upgradable),
         make_contender("w2", contender_kind::writer)},
        kind);
    EXPECT_EQ(edges_of(graph_of({{lock}, {}})), (std::set<names>{{"w1", "r1", "/a"},
                                                                 {"r2", "w1", "/a"},
                                                                 {"u", "w1", "/a"},
                                                                 {"w2", "u", "/a"},
                                                                 {"w2", "r2", "/a"},
                                                                 {"w2", "w1", "/a"}}));
}

// Each upgradable reader has one edge, to the upgradable reader ahead of it. So the graph stays small in a long queue.
TEST(admin_wait_graph, upgradables) {
    const auto upgradable = contender_kind::upgradable;
    auto lock =
        queue("/a",
              {make_contender("u1", upgradable), make_contender("u2", upgradable),
               make_contender("r", contender_kind::reader), make_contender("u3", upgradable)},
              lock_kind::shared_mutex);
    EXPECT_EQ(edges_of(graph_of({{lock}, {}})),
              (std::set<names>{{"u2", "u1", "/a"}, {"u3", "u2", "/a"}}));
}

TEST(admin_wait_graph, a_semaphores_waiter_waits_for_any) {
    const lock_survey survey{
        {queue("/a", {make_contender("x"), make_contender("y")}, lock_kind::semaphore),
         queue("/b", {make_contender("y"), make_contender("x")})},
        {}};
    EXPECT_TRUE(graph_of(survey).cycles.empty());
}

TEST(admin_wait_graph, what_is_cut_is_no_cycle) {
    std::vector<contender> many;
    for (int i = 0; i != 50; ++i) many.push_back(make_contender("waiter-" + std::to_string(i)));
    const lock_survey survey{
        {queue("/0", std::move(many)), queue("/a", {make_contender("x"), make_contender("y")}),
         queue("/b", {make_contender("y"), make_contender("x")})},
        {}};
    const auto graph = graph_of(survey, {.edges = 5, .cycles = 10});
    EXPECT_TRUE(graph.truncated);
    EXPECT_EQ(graph.edges.size(), 5U);
    EXPECT_EQ(cycles_of(graph), (std::vector<names>{{"x", "y"}}));
    EXPECT_TRUE(edges_of(graph).contains({"x", "y", "/b"}));
    for (const auto& each : graph.edges) {
        EXPECT_LT(each.from, graph.nodes.size());
        EXPECT_LT(each.to, graph.nodes.size());
    }
}

TEST(admin_cycles, parts) {
    // Edges: 0 -> 1 -> 2 -> 0, 2 -> 3, 3 -> 4 -> 3, 5 -> 5. Node 6 has no edge.
    const cycles found{7, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 3}, {5, 5}}};
    const auto& part = found.cycle_of();
    EXPECT_EQ(part[0], part[1]);
    EXPECT_EQ(part[0], part[2]);
    EXPECT_EQ(part[3], part[4]);
    EXPECT_NE(part[0], part[3]);
    EXPECT_NE(part[5], k_no_cycle);
    EXPECT_EQ(part[6], k_no_cycle);
    EXPECT_EQ(found.shortest(10).size(), 3U);
    EXPECT_EQ(found.shortest(1).size(), 1U);
}

TEST(admin_cycles, a_long_way_needs_no_deep_stack) {
    constexpr std::size_t k_length = 200'000;
    std::vector<arrow> arrows;
    for (std::size_t i = 0; i != k_length; ++i) arrows.push_back({i, (i + 1) % k_length});
    const cycles found{k_length, arrows};
    ASSERT_EQ(found.shortest(1).size(), 1U);
    EXPECT_EQ(found.shortest(1).front().size(), k_length);
}

// Returns each route of the OpenAPI document, as in "GET /api/v1/lock kind limit offset path".
std::set<std::string> documented() {
    const auto document = json::parse(asset_called("openapi.json")->content);
    std::set<std::string> all;
    for (const auto& [path, methods] : document["paths"].items()) {
        for (const auto& [method, operation] : methods.items()) {
            std::set<std::string> parameters;
            for (const auto& each : operation.value("parameters", json::array()))
                if (each["in"] == "query") parameters.insert(each["name"].get<std::string>());
            std::string line = method == "get" ? "GET " : method == "post" ? "POST " : method;
            line += path;
            for (const auto& name : parameters) line += " " + name;
            all.insert(line);
        }
    }
    return all;
}

TEST(admin_openapi, has_each_route_and_no_other) {
    std::set<std::string> routes;
    for (const auto* table : {&json_routes(), &other_routes()}) {
        for (const auto& each : *table) {
            std::string line = std::string{each.method} + " " + std::string{each.path};
            for (const auto& name :
                 std::set<std::string>{each.parameters.begin(), each.parameters.end()})
                line += " " + name;
            routes.insert(line);
        }
    }
    EXPECT_EQ(documented(), routes);
}

TEST(admin_openapi, changes_need_more_than_reads) {
    const auto document = json::parse(asset_called("openapi.json")->content);
    for (const auto* table : {&json_routes(), &other_routes()})
        for (const auto& each : *table) {
            const auto method = each.method == "GET" ? "get" : "post";
            const auto& operation = document["paths"][std::string{each.path}][method];
            EXPECT_EQ(operation.contains("security"), each.needs != need::nothing) << each.path;
        }
}

// Only requests with a separate limit get the status 429: deep reads, event streams, `ask` and `take`, and wrong
// sign-ins. The server delays other requests.
TEST(admin_openapi, names_too_many_where_a_limit_is) {
    const auto document = json::parse(asset_called("openapi.json")->content);
    std::set<std::string> limited;
    for (const auto& [path, methods] : document["paths"].items())
        for (const auto& [method, operation] : methods.items())
            if (operation["responses"].contains("429")) limited.insert(path);
    EXPECT_EQ(limited, (std::set<std::string>{"/api/v1/ask", "/api/v1/events", "/api/v1/lock",
                                              "/api/v1/sign-in", "/api/v1/take"}));
}

TEST(admin_assets, each_has_a_type) {
    for (const auto& each : assets()) EXPECT_FALSE(content_type_of(each.name).empty()) << each.name;
    ASSERT_NE(asset_called("index.html"), nullptr);
    EXPECT_EQ(asset_called("nothing"), nullptr);
}

}  // namespace
}  // namespace turnstile::admin
