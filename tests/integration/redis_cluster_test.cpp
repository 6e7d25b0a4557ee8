// SPDX-License-Identifier: Apache-2.0
// Tests a Redis Cluster of three nodes. One node stores all keys of a tree of znodes, and each node can name the node
// that stores these keys. The cluster may move the tree to another node.
#include <array>
#include <future>
#include <set>
#include <utility>

#include "client/log_lines.hpp"
#include "redis_cluster_node.hpp"
#include "redis_support.hpp"

namespace turnstile::tests {
namespace {

class cluster_of_redis : public on_redis_servers {
protected:
    cluster_of_redis() {
        constexpr std::array<std::pair<int, int>, 3> k_slots{
            {{0, 5460}, {5461, 10922}, {10923, 16383}}};
        for (std::size_t i = 0; i != nodes.size(); ++i) {
            nodes[i] = std::make_unique<redis_server>(testing::redis_server_options{
                .config = buses[i].config() + "cluster-node-timeout 2000\n"});
            nodes[i]->start();
            assign_slots(*nodes[i], k_slots[i].first, k_slots[i].second);
            // If two nodes had equal epochs, they would later decide again which node has a slot, although the test has
            // moved that slot. redis-cli sets the epochs, too.
            EXPECT_EQ(nodes[i]->ask("CLUSTER SET-CONFIG-EPOCH " + std::to_string(i + 1)), "+OK");
        }
        for (std::size_t i = 1; i != nodes.size(); ++i)
            EXPECT_EQ(nodes[0]->ask("CLUSTER MEET " + buses[i].place_of(*nodes[i])), "+OK");
        for (const auto& node : nodes) EXPECT_TRUE(becomes(*node, "CLUSTER INFO", "state:ok"));
        while (is_elsewhere(*nodes[owner])) ++owner;
    }

    static bool becomes(const redis_server& node, const std::string& command,
                        const std::string& words) {
        return eventually([&] { return node.ask(command).find(words) != std::string::npos; });
    }
    static bool is_elsewhere(const redis_server& node) {
        return node.ask("EXISTS {turnstile}:n").starts_with("-MOVED");
    }
    // Sends CLUSTER SETSLOT for the slot with the tree's keys to the node `at`. `how` is IMPORTING, MIGRATING or NODE,
    // and `of` is the node that this command names.
    void set_slot(const redis_server& at, const std::string& how, const redis_server& of) const {
        const auto slot = at.ask("CLUSTER KEYSLOT {turnstile}:n").substr(1);
        EXPECT_EQ(at.ask("CLUSTER SETSLOT " + slot + ' ' + how + ' ' + of.ask("CLUSTER MYID")),
                  "+OK");
    }
    static void migrate(const redis_server& from, const redis_server& to, const std::string& keys) {
        EXPECT_EQ(from.ask("MIGRATE 127.0.0.1 " + std::to_string(to.port()) + " \"\" 0 5000 KEYS " +
                           keys),
                  "+OK");
    }

    std::array<cluster_bus, 3> buses;
    std::array<std::unique_ptr<redis_server>, 3> nodes;
    std::size_t owner = 0;
};

TEST_F(cluster_of_redis, every_node_leads_to_the_one_that_has_the_tree) {
    const auto holding = connect(nodes[owner]->connect_string());
    auto hold = mutex{*holding, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    for (const auto& node : nodes) {
        const auto session = connect(node->connect_string());
        EXPECT_EQ(session->session().server, nodes[owner]->address());
        EXPECT_EQ((mutex{*session, path}.try_acquire().error()), errc::busy);
        EXPECT_EQ(session->promises().exclusion, exclusion_promise::best_effort);
    }
}

// The connect string names one node, which may be a replica after a failover.
TEST_F(cluster_of_redis, a_replica_leads_to_its_master) {
    const cluster_bus bus;
    redis_server replica{{.config = bus.config() + "repl-diskless-sync-delay 0\n"}};
    replica.start();
    const auto master = nodes[owner]->ask("CLUSTER MYID");
    EXPECT_EQ(nodes[owner]->ask("CLUSTER MEET " + bus.place_of(replica)), "+OK");
    ASSERT_TRUE(becomes(replica, "CLUSTER NODES", master));
    ASSERT_TRUE(becomes(replica, "CLUSTER REPLICATE " + master, "+OK"));
    ASSERT_TRUE(becomes(replica, "INFO replication", "role:slave"));
    const auto session = connect(replica.connect_string());
    EXPECT_EQ(session->session().server, nodes[owner]->address());
    EXPECT_EQ(session->promises().failover, failover_promise::loses_writes);
}

TEST_F(cluster_of_redis, trees_are_at_nodes_of_their_own) {
    std::set<std::string> servers;
    for (int i = 0; i != 8; ++i) {
        const auto session = connect(nodes[0]->connect_string() + "?tree=t" + std::to_string(i));
        EXPECT_TRUE((mutex{*session, path}.acquire({.timeout = limit()}).has_value()));
        servers.insert(session->session().server);
    }
    EXPECT_EQ(servers.size(), nodes.size());
}

// If a key moved away during a script, half of the script's changes would be missing.
TEST_F(cluster_of_redis, a_tree_that_is_moved_takes_its_holds_and_waiters_along) {
    const auto holding = connect(nodes[0]->connect_string(), with_timeout(30s));
    const auto waiting = connect(nodes[1]->connect_string(), with_timeout(30s));
    mutex lock{*holding, path};
    mutex same{*waiting, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    auto next = std::async(std::launch::async, [&] { return same.acquire({.timeout = limit()}); });
    auto& from = *nodes[owner];
    // A waiter sets its watch after it has created its znode. So if the watch exists, the znode exists.
    ASSERT_TRUE(becomes(from, "HKEYS {turnstile}:n", 'w' + path + '/'));
    const auto session = holding->session().id;
    auto& to = *nodes[(owner + 1) % nodes.size()];
    const auto before = from.ask("HLEN {turnstile}:n");
    set_slot(to, "IMPORTING", from);
    set_slot(from, "MIGRATING", to);
    // The second lock needs a new folder. While the keys move, the request for that lock must wait and create nothing.
    auto other = std::async(std::launch::async, [&] {
        return mutex{*holding, path + "/other"}.acquire({.timeout = limit()});
    });
    ASSERT_TRUE(eventually([&] { return holding->state() == session_state::suspended; }));
    EXPECT_EQ(from.ask("HLEN {turnstile}:n"), before);
    migrate(from, to, "{turnstile}:d");
    EXPECT_EQ(from.ask("HLEN {turnstile}:n"), before);
    migrate(from, to, from.ask("KEYS {turnstile}:*"));
    EXPECT_TRUE(hold->valid());
    set_slot(to, "NODE", to);
    set_slot(from, "NODE", to);
    const auto granted = other.get();
    EXPECT_TRUE(granted) << granted.error().message();
    EXPECT_EQ(holding->session().id, session);
    EXPECT_EQ(holding->session().server, to.address());
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->release(limit()));
    const auto hand_over = next.get();
    EXPECT_TRUE(hand_over) << hand_over.error().message();
}

// A node with a part of the keys is down, so the other nodes serve no requests until it is back.
TEST_F(cluster_of_redis, a_cluster_that_is_down_is_waited_for) {
    const log_lines log;
    const auto holding = connect(nodes[owner]->connect_string(), with_timeout(30s));
    mutex lock{*holding, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    auto& lost = *nodes[(owner + 1) % nodes.size()];
    lost.kill();
    ASSERT_TRUE(becomes(*nodes[owner], "CLUSTER INFO", "state:fail"));
    auto released = std::async(std::launch::async, [&] { return hold->release(limit()); });
    EXPECT_TRUE(eventually([&] { return log.with("CLUSTERDOWN") > 0; }));
    lost.start();
    EXPECT_TRUE(released.get());
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
}

TEST_F(cluster_of_redis, any_of_the_named_nodes_is_enough) {
    const auto lost = (owner + 1) % nodes.size();
    std::string where{"redis://"};
    where += nodes[lost]->address() + ',' + nodes[(owner + 2) % nodes.size()]->address();
    ASSERT_EQ(nodes[owner]->ask("CONFIG SET cluster-require-full-coverage no"), "+OK");
    ASSERT_EQ(nodes[(owner + 2) % nodes.size()]->ask("CONFIG SET cluster-require-full-coverage no"),
              "+OK");
    nodes[lost]->kill();
    const auto session = connect(where);
    EXPECT_EQ(session->session().server, nodes[owner]->address());
}

TEST_F(cluster_of_redis, several_servers_that_are_none_and_a_database_are_refused) {
    redis_server alone;
    alone.start();
    EXPECT_TRUE(is_refused(
        alone.connect_string() + ',' + nodes[0]->address(), errc::not_connected,
        "the server is no node of a Redis Cluster, but the connect string names several servers"));
    const std::string refusal = has_cluster_databases(*nodes[0])
                                    ? "SELECT 1: ERR DB index is out of range"
                                    : "SELECT 1: ERR SELECT is not allowed in cluster mode";
    EXPECT_TRUE(is_refused(nodes[0]->connect_string() + "?db=1", errc::not_connected, refusal));
}

class cluster_of_redis_with_databases : public on_redis_servers {};

// Since Valkey 9, `cluster-databases` says how many databases a cluster has. This node has all slots.
TEST_F(cluster_of_redis_with_databases, each_database_has_separate_locks) {
    redis_server alone;
    alone.start();
    if (!has_cluster_databases(alone))
        GTEST_SKIP() << "a cluster of these servers has no database but 0";
    const cluster_bus bus;
    redis_server node{{.config = bus.config() + "cluster-databases 2\n"}};
    node.start();
    assign_slots(node, 0, 16383);
    ASSERT_TRUE(
        eventually([&] { return node.ask("CLUSTER INFO").find("state:ok") != std::string::npos; }));
    const auto first = connect(node.connect_string());
    const auto second = connect(node.connect_string() + "?db=1", with_timeout(60s));
    const auto waiting = connect(node.connect_string() + "?db=1", with_timeout(60s));
    mutex same{*waiting, path};
    const auto hold = mutex{*first, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    auto other = mutex{*second, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(other) << other.error().message();
    auto next = std::async(std::launch::async, [&] { return same.acquire({.timeout = limit()}); });
    ASSERT_TRUE(becomes_size(*second, path, 2));
    EXPECT_TRUE(other->release(limit()));
    const auto granted = next.get();
    EXPECT_TRUE(granted) << granted.error().message();
    EXPECT_TRUE(hold->valid());
}

}  // namespace
}  // namespace turnstile::tests
