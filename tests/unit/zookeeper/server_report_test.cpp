// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/server_role.hpp"

#include <gtest/gtest.h>

namespace turnstile::zookeeper {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view k_srvr =
    "Zookeeper version: 3.8.0-5a02a05eddb59aee6ac762f7ea82e92a68eb9c0f, built on 2022-02-25 08:49 "
    "UTC\nLatency min/avg/max: 0/1.25/17\nReceived: 12\nSent: 11\nConnections: 3\n"
    "Outstanding: 2\nZxid: 0x100000004\nMode: follower\nNode count: 42\n";

TEST(server_report, of_srvr) {
    server_health told;
    read_srvr(k_srvr, told);
    EXPECT_TRUE(told.serves);
    EXPECT_EQ(told.problem, "");
    EXPECT_EQ(told.role, server_role::follower);
    EXPECT_EQ(told.version, "3.8.0");
    EXPECT_EQ(told.latency_ms, 1.25);
    EXPECT_EQ(told.longest_latency_ms, 17);
    EXPECT_EQ(told.connections, 3);
    EXPECT_EQ(told.received, 12);
    EXPECT_EQ(told.outstanding, 2);
    EXPECT_EQ(told.nodes, 42);
}

TEST(server_report, of_servers_that_do_not_serve) {
    const auto problem_of = [](std::string_view answer) {
        server_health told;
        read_srvr(answer, told);
        EXPECT_FALSE(told.serves) << answer;
        return told.problem;
    };
    EXPECT_NE(problem_of("This ZooKeeper instance is not currently serving requests\n")
                  .find("no majority"),
              std::string::npos);
    EXPECT_NE(problem_of("srvr is not executed because it is not in the whitelist.\n")
                  .find("4lw.commands.whitelist"),
              std::string::npos);
    EXPECT_NE(problem_of("HTTP/1.1 400 Bad Request\r\n\r\n").find("another program"),
              std::string::npos);
    EXPECT_EQ(problem_of("Zookeeper version: 3.4.13-5--1, built on 2019\nMode: standalone\n"),
              "is ZooKeeper 3.4.13, and this client needs 3.5 or later");
    EXPECT_NE(problem_of("Zookeeper version: 3.8.0\nMode: read-only\n").find("cut off"),
              std::string::npos);
}

TEST(server_report, of_conf) {
    const auto told = read_conf(
        "clientPort=2181\nsecureClientPort=-1\ntickTime=2000\nmaxClientCnxns=60\n"
        "minSessionTimeout=4000\nmaxSessionTimeout=40000\nserverId=1\ninitLimit=10\nsyncLimit=5\n");
    const server_configuration expected{.tick = 2s,
                                        .init_limit = 10,
                                        .sync_limit = 5,
                                        .min_session_timeout = 4s,
                                        .max_session_timeout = 40s,
                                        .max_connections = 60};
    EXPECT_EQ(told, expected);
    EXPECT_FALSE(read_conf("conf is not executed because it is not in the whitelist.\n"));
    EXPECT_FALSE(read_conf("notickTime=5\n"));
    EXPECT_EQ(read_conf("tickTime=2000\n")->sync_limit, 0);
}

TEST(server_report, numbers_that_no_server_has_count_as_not_said) {
    server_health told;
    read_srvr(
        "Zookeeper version: 3.8.0\nLatency min/avg/max: 0/nan/-inf\nReceived: -1\n"
        "Connections: 99999999999999999999\nMode: follower\n",
        told);
    EXPECT_EQ(told.latency_ms, std::nullopt);
    EXPECT_EQ(told.longest_latency_ms, std::nullopt);
    EXPECT_EQ(told.received, std::nullopt);
    EXPECT_EQ(told.connections, std::nullopt);
    const auto conf = read_conf(
        "tickTime=2147483647\nsyncLimit=2147483647\ninitLimit=-1\n"
        "maxSessionTimeout=9223372036854775807\n");
    ASSERT_TRUE(conf);
    EXPECT_EQ(conf->sync_limit, 0);
    EXPECT_EQ(conf->init_limit, 0);
    EXPECT_EQ(conf->max_session_timeout, 0ms);
}

}  // namespace
}  // namespace turnstile::zookeeper
