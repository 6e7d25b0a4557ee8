// SPDX-License-Identifier: Apache-2.0
// Tests sessions that a second connection closes, and sessions that expire because a proxy forwards nothing.
#include "turnstile/testing/session_fault.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>

#include "kit/zk_client.hpp"
#include "turnstile/testing/tcp_proxy.hpp"

namespace {

using namespace std::chrono_literals;
using namespace turnstile::testing;
using kit_test::zk_client;

// The C client gives up a request after two thirds of the session timeout. This session timeout is long enough for a
// busy machine.
constexpr int k_short_timeout_ms = 4000;

class session_test : public ::testing::Test {
protected:
    static void SetUpTestSuite() { servers = std::make_unique<ensemble>(); }
    static void TearDownTestSuite() { servers.reset(); }

    static std::unique_ptr<ensemble> servers;
};

std::unique_ptr<ensemble> session_test::servers;

TEST_F(session_test, is_closed_from_outside) {
    zk_client owner{servers->connect_string()};
    zk_client other{servers->connect_string()};
    ASSERT_EQ(owner.create("/closed", ZOO_EPHEMERAL), ZOK);
    EXPECT_TRUE(session_alive(*servers, owner.session_id()));

    close_session(servers->connect_string(), owner.session_id(), owner.password());

    EXPECT_EQ(other.exists("/closed"), ZNONODE);
    EXPECT_FALSE(session_alive(*servers, owner.session_id()));
    EXPECT_TRUE(session_alive(*servers, other.session_id()));
    EXPECT_TRUE(owner.expired.wait());
}

TEST_F(session_test, is_closed_through_any_server_of_the_list_that_answers) {
    const loopback_port nobody;
    zk_client owner{servers->connect_string()};
    ASSERT_EQ(owner.create("/closed-too", ZOO_EPHEMERAL), ZOK);
    close_session(nobody.address() + "," + servers->connect_string() + "/folder",
                  owner.session_id(), owner.password());
    EXPECT_FALSE(session_alive(*servers, owner.session_id()));
}

TEST_F(session_test, is_not_closed_without_its_password) {
    zk_client owner{servers->connect_string()};
    ASSERT_EQ(owner.create("/not-closed", ZOO_EPHEMERAL), ZOK);
    const std::string wrong(16, 'x');
    EXPECT_THROW(close_session(servers->connect_string(), owner.session_id(), wrong),
                 std::runtime_error);
    EXPECT_THROW(close_session(servers->connect_string(), owner.session_id(), "short"),
                 std::runtime_error);
    // At each attempt to close the session, the server closes the owner's connection, even if the password is wrong.
    // The session remains.
    EXPECT_TRUE(owner.connected.wait(2));
    EXPECT_TRUE(eventually([&] { return owner.exists("/not-closed") == ZOK; }));
}

TEST_F(session_test, expires_behind_a_black_hole) {
    tcp_proxy proxy{servers->connect_string()};
    zk_client owner{proxy.address(), k_short_timeout_ms};
    zk_client other{servers->connect_string()};
    ASSERT_EQ(owner.create("/expires", ZOO_EPHEMERAL), ZOK);
    const auto session = owner.session_id();

    proxy.black_hole();
    wait_until_expired(*servers, session);
    EXPECT_EQ(other.exists("/expires"), ZNONODE);
    EXPECT_FALSE(owner.expired.is_set());

    proxy.pass();
    EXPECT_TRUE(owner.expired.wait());
}

TEST_F(session_test, outlives_a_shorter_black_hole) {
    tcp_proxy proxy{servers->connect_string()};
    zk_client owner{proxy.address()};
    ASSERT_EQ(owner.create("/survives", ZOO_EPHEMERAL), ZOK);
    proxy.black_hole();
    EXPECT_THROW(wait_until_expired(*servers, owner.session_id(), 1ms), std::runtime_error);
    proxy.pass();
    EXPECT_EQ(owner.exists("/survives"), ZOK);
}

TEST(session_of_an_ensemble, expires_on_every_server) {
    ensemble servers{{.count = 3}};
    const auto follower = servers.follower();
    ASSERT_TRUE(follower);
    tcp_proxy proxy{servers.connect_string(*follower)};
    zk_client owner{proxy.address(), k_short_timeout_ms};
    ASSERT_EQ(owner.create("/expires", ZOO_EPHEMERAL), ZOK);
    proxy.black_hole();
    wait_until_expired(servers, owner.session_id());
    for (std::size_t i = 0; i < servers.size(); ++i) {
        zk_client other{servers.connect_string(i)};
        EXPECT_EQ(other.exists("/expires"), ZNONODE) << i;
    }
    EXPECT_EQ(servers.counters(*follower).at("ephemerals_count"), 0);
}

}  // namespace
