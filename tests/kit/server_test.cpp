// SPDX-License-Identifier: Apache-2.0
// Tests a single server: its options, counters and data.
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "kit/zk_client.hpp"
#include "turnstile/testing/ensemble.hpp"

namespace {

using namespace std::chrono_literals;
using namespace turnstile::testing;
using kit_test::zk_client;

TEST(server_test, serves_and_counts) {
    const ensemble servers;
    EXPECT_EQ(servers.server(0).mode(), "standalone");
    EXPECT_EQ(servers.leader(), 0U);
    EXPECT_FALSE(servers.follower());

    zk_client client{servers.connect_string()};
    const auto before = servers.counters(0);
    ASSERT_EQ(client.create("/counted", ZOO_EPHEMERAL), ZOK);
    ASSERT_EQ(client.exists("/counted", true), ZOK);
    const auto after = servers.counters(0);
    EXPECT_EQ(after.at("ephemerals_count"), 1);
    EXPECT_EQ(after.at("watch_count"), 1);
    EXPECT_EQ(after.at("znode_count"), before.at("znode_count") + 1);
    EXPECT_GE(after.at("packets_received"), before.at("packets_received") + 2);
    EXPECT_GE(after.at("num_alive_connections"), 1);
    EXPECT_NE(servers.four_letter_word(0, "wchp").find("/counted"), std::string::npos);
    EXPECT_EQ(servers.four_letter_word(0, "ruok"), "imok");

    ASSERT_EQ(client.remove("/counted"), ZOK);
    EXPECT_TRUE(client.watch_fired.wait());
    EXPECT_EQ(servers.counters(0).at("sum_node_deleted_watch_count"), 1);
}

TEST(server_test, keeps_data_when_killed_and_restarted) {
    ensemble servers;
    const auto address = servers.connect_string();
    zk_client client{address};
    ASSERT_EQ(client.create("/first"), ZOK);
    servers.kill(0);
    EXPECT_FALSE(servers.leader());
    EXPECT_TRUE(client.disconnected.wait());
    servers.start(0);
    servers.wait_until_serving();
    EXPECT_TRUE(client.connected.wait(2));
    EXPECT_EQ(client.exists("/first"), ZOK);
    servers.restart(0);
    EXPECT_EQ(servers.connect_string(), address);
    EXPECT_TRUE(client.connected.wait(3));
    EXPECT_EQ(client.exists("/first"), ZOK);
}

TEST(server_test, answers_nothing_while_paused) {
    ensemble servers;
    servers.pause(0);
    EXPECT_TRUE(servers.server(0).paused());
    EXPECT_TRUE(servers.server(0).running());
    EXPECT_THROW((void)servers.server(0).four_letter_word("ruok", 100ms), std::system_error);
    servers.resume(0);
    EXPECT_EQ(servers.four_letter_word(0, "ruok"), "imok");
}

TEST(server_test, takes_the_options) {
    const ensemble servers{{.tick_time = 100ms,
                            .min_session_timeout = 150ms,
                            .max_session_timeout = 7s,
                            .container_check_interval = 10ms,
                            .jute_maxbuffer = 4096,
                            .config_lines = {"maxClientCnxns=17"},
                            .system_properties = {{"zookeeper.maxBatchSize", "7"}}}};
    const auto conf = servers.four_letter_word(0, "conf");
    EXPECT_NE(conf.find("tickTime=100\n"), std::string::npos) << conf;
    EXPECT_NE(conf.find("minSessionTimeout=150\n"), std::string::npos) << conf;
    EXPECT_NE(conf.find("maxSessionTimeout=7000\n"), std::string::npos) << conf;
    EXPECT_NE(conf.find("maxClientCnxns=17\n"), std::string::npos) << conf;
    const auto log = servers.server(0).log();
    EXPECT_NE(log.find("zookeeper.maxBatchSize=7"), std::string::npos) << log;

    zk_client client{servers.connect_string()};
    EXPECT_EQ(client.create("/" + std::string(5000, 'x')), ZCONNECTIONLOSS);
    EXPECT_TRUE(client.connected.wait(2));
    ASSERT_EQ(client.create("/box", ZOO_CONTAINER), ZOK);
    ASSERT_EQ(client.create("/box/node"), ZOK);
    ASSERT_EQ(client.remove("/box/node"), ZOK);
    EXPECT_TRUE(eventually([&] { return client.exists("/box") == ZNONODE; }));
}

TEST(server_test, tells_why_it_does_not_serve) {
    try {
        const ensemble servers{{.config_lines = {"tickTime=many"}}};
        FAIL() << "it serves";
    } catch (const std::runtime_error& e) {
        EXPECT_NE(std::string{e.what()}.find("many"), std::string::npos) << e.what();
    }
    EXPECT_THROW(ensemble{{.count = 2}}, std::runtime_error);
}

TEST(server_test, names_the_package_that_is_missing) {
    const char* path = std::getenv("PATH");
    const std::string before = path != nullptr ? path : "";
    ::setenv("PATH", "/nowhere", 1);
    const char* home = std::getenv("JAVA_HOME");
    const std::string home_before = home != nullptr ? home : "";
    ::unsetenv("JAVA_HOME");
    try {
        const ensemble servers;
        ADD_FAILURE() << "it serves";
    } catch (const std::runtime_error& e) {
        EXPECT_NE(std::string{e.what()}.find("default-jre-headless"), std::string::npos);
    }
    ::setenv("PATH", before.c_str(), 1);
    if (home != nullptr) ::setenv("JAVA_HOME", home_before.c_str(), 1);
}

TEST(server_test, runs_several_kits_at_once) {
    ensemble first;
    std::jthread other{[&] {
        const ensemble second;
        const ensemble third;
        EXPECT_NE(first.connect_string(), second.connect_string());
        EXPECT_NE(second.connect_string(), third.connect_string());
        zk_client client{second.connect_string()};
        EXPECT_EQ(client.create("/second"), ZOK);
    }};
    first.restart(0);
    zk_client client{first.connect_string()};
    EXPECT_EQ(client.exists("/second"), ZNONODE);
}

}  // namespace
