// SPDX-License-Identifier: Apache-2.0
// Tests an ensemble of three servers: elections, pauses, restarts.
#include "turnstile/testing/ensemble.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "kit/zk_client.hpp"

namespace {

using namespace turnstile::testing;
using kit_test::zk_client;

class ensemble_test : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        servers = std::make_unique<ensemble>(ensemble_options{.count = 3});
    }
    static void TearDownTestSuite() { servers.reset(); }
    // Makes all servers run and serve again after every test.
    void TearDown() override {
        for (std::size_t i = 0; i < servers->size(); ++i) {
            servers->resume(i);
            servers->start(i);
        }
        servers->wait_until_serving();
    }

    static std::unique_ptr<ensemble> servers;
};

std::unique_ptr<ensemble> ensemble_test::servers;

TEST_F(ensemble_test, has_a_leader_and_two_followers) {
    ASSERT_EQ(servers->size(), 3U);
    const auto leader = servers->leader();
    ASSERT_TRUE(leader);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(servers->server(i).mode(), i == *leader ? "leader" : "follower");
    }
    ASSERT_TRUE(servers->follower());
    EXPECT_NE(servers->follower(), leader);
}

TEST_F(ensemble_test, elects_another_leader_when_the_first_is_killed) {
    const auto first = servers->leader();
    ASSERT_TRUE(first);
    servers->kill(*first);
    servers->wait_until_serving();
    const auto second = servers->leader();
    ASSERT_TRUE(second);
    EXPECT_NE(second, first);

    zk_client client{servers->connect_string(*second)};
    EXPECT_EQ(client.create("/after-election"), ZOK);
    servers->start(*first);
    servers->wait_until_serving();
    EXPECT_EQ(servers->server(*first).mode(), "follower");
}

TEST_F(ensemble_test, elects_another_leader_when_the_first_is_paused) {
    const auto first = servers->leader();
    ASSERT_TRUE(first);
    servers->pause(*first);
    EXPECT_TRUE(servers->server(*first).running());
    servers->wait_until_serving();
    EXPECT_NE(servers->leader(), first);
    servers->resume(*first);
    EXPECT_TRUE(eventually([&] { return servers->server(*first).mode() == "follower"; }));
}

TEST_F(ensemble_test, keeps_data_and_ports_over_restarts_of_all) {
    const auto addresses = servers->connect_string();
    {
        zk_client client{addresses};
        ASSERT_EQ(client.create("/kept"), ZOK);
    }
    for (std::size_t i = 0; i < 3; ++i) servers->stop(i);
    EXPECT_FALSE(servers->leader());
    for (std::size_t i = 0; i < 3; ++i) servers->start(i);
    servers->wait_until_serving();
    EXPECT_EQ(servers->connect_string(), addresses);
    zk_client client{addresses};
    EXPECT_EQ(client.exists("/kept"), ZOK);
}

TEST_F(ensemble_test, cannot_serve_without_a_majority) {
    servers->kill(0);
    servers->kill(1);
    EXPECT_TRUE(eventually([] { return !servers->leader() && servers->server(2).mode().empty(); }));
    EXPECT_THROW(servers->wait_until_serving(std::chrono::milliseconds{1}), std::runtime_error);
}

}  // namespace
