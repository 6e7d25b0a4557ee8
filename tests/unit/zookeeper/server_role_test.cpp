// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/server_role.hpp"

#include <gtest/gtest.h>

#include "zookeeper/server_words.hpp"

namespace turnstile::zookeeper {
namespace {

TEST(server_role, is_read_from_the_answer_to_srvr) {
    const auto answer = [](const char* mode) {
        return std::string{"Zookeeper version: 3.8.0\nOutstanding: 0\nZxid: 0x0\nMode: "} + mode +
               "\nNode count: 5\n";
    };
    EXPECT_EQ(parse_role(answer("standalone")), server_role::standalone);
    EXPECT_EQ(parse_role(answer("leader")), server_role::leader);
    EXPECT_EQ(parse_role(answer("follower")), server_role::follower);
    EXPECT_EQ(parse_role(answer("observer")), server_role::observer);
    EXPECT_EQ(parse_role(answer("read-only")), server_role::read_only);
    EXPECT_EQ(parse_role("x\nMode: leader"), server_role::leader);
}

TEST(server_role, is_unknown_otherwise) {
    for (const char* text : {"", "\nMode: leaders\n", "Mode: leader", "\nMode: ",
                             "srvr is not executed because it is not in the whitelist.\n",
                             "This ZooKeeper instance is not currently serving requests\n"}) {
        EXPECT_EQ(parse_role(text), server_role::unknown) << text;
    }
}

TEST(server_software, is_read_from_the_answer_to_srvr) {
    for (const char* text : {"Zookeeper version: 3.8.0-1, built on 2021-07-13\nMode: leader\n",
                             "This ZooKeeper instance is not currently serving requests\n"}) {
        EXPECT_EQ(parse_software(text), server_software::zookeeper) << text;
    }
    for (const std::string_view old : {"3.4.14-4c25d480, built on", "3.4", "2.9.1"})
        EXPECT_EQ(parse_software("Zookeeper version: " + std::string{old}),
                  server_software::another)
            << old;
    for (const std::string_view late : {"3.5.0-alpha", "3.10.1", "4.0", "", "HEAD", "3", "3.x"})
        EXPECT_EQ(parse_software("Zookeeper version: " + std::string{late}),
                  server_software::zookeeper)
            << late;
    EXPECT_EQ(parse_software("ClickHouse Keeper version: v23.8.1-prestable\nMode: leader\n"),
              server_software::another);
    for (const char* text : {"", "\nZookeeper version: 3.8.0",
                             "srvr is not executed because it is not in the whitelist.\n"}) {
        EXPECT_EQ(parse_software(text), server_software::unknown) << text;
    }
}

TEST(server_version, before_3_5_is_refused_with_its_name_and_the_rule) {
    EXPECT_EQ(version_fault("Zookeeper version: 3.4.13-5--1, built on Wed, 20 Feb 2019 09:58:41\n"
                            "Mode: standalone\n"),
              "is ZooKeeper 3.4.13, and this client needs 3.5 or later");
    EXPECT_EQ(version_fault("Zookeeper version: 3.4"),
              "is ZooKeeper 3.4, and this client needs 3.5 or later");
    for (const std::string_view used :
         {"", "Zookeeper version: 3.5.0-alpha\n", "Zookeeper version: 3.9.6\n",
          "Zookeeper version: HEAD\n", "ClickHouse Keeper version: 3.4.13\n",
          "srvr is not executed because it is not in the whitelist.\n"})
        EXPECT_EQ(version_fault(used), "") << used;
}

TEST(server_role, of_a_server_that_cannot_be_reached_is_unknown) {
    EXPECT_EQ(ask_server(socket_address{}, "srvr", -1, std::chrono::seconds{1}), "");
    EXPECT_FALSE(find_role({socket_address{}}, server_role::leader, -1, std::chrono::seconds{1}));
}

TEST(server_pace, is_read_from_the_answer_to_conf) {
    const std::string answer{
        "clientPort=2181\nsecureClientPort=-1\ndataDir=/data/version-2\ntickTime=500\n"
        "maxClientCnxns=60\nminSessionTimeout=1000\nserverId=1\ninitLimit=10\nsyncLimit=4\n"};
    const core::server_pace wanted{std::chrono::milliseconds{500}, 4};
    EXPECT_EQ(parse_pace(answer), wanted);
}

TEST(server_pace, is_unknown_otherwise) {
    for (const char* text :
         {"", "tickTime=500\n", "syncLimit=5\n", "tickTime=\nsyncLimit=5",
          "tickTime=0\nsyncLimit=5", "tickTime=500\nsyncLimit=0", "tickTime=-1\nsyncLimit=5",
          "xtickTime=500\nsyncLimit=5", "tickTime=99999999999999999999\nsyncLimit=5",
          // This text ends in the middle of a number.
          "tickTime=2000\nsyncLimit=2000000\n", "tickTime=2000\nsyncLimit=1",
          "conf is not executed because it is not in the whitelist.\n"}) {
        EXPECT_FALSE(parse_pace(text)) << text;
    }
}

TEST(server_role, an_address_that_is_none_has_no_text) {
    EXPECT_EQ(to_string(socket_address{}, address_form::for_people), "");
}

}  // namespace
}  // namespace turnstile::zookeeper
