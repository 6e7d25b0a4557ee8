// SPDX-License-Identifier: Apache-2.0
// Tests the proxy's actions on whole connections.
#include <chrono>
#include <future>
#include <stdexcept>
#include <system_error>

#include "kit/proxy_fixture.hpp"
#include "turnstile/testing/four_letter_word.hpp"

namespace {

using namespace std::chrono_literals;
using namespace turnstile::testing;
using kit_test::zk_client;

class proxy_test : public kit_test::proxy_fixture {};

TEST_F(proxy_test, passes_and_counts) {
    zk_client client{proxy_.address()};
    ASSERT_TRUE(client.connected.wait());
    proxy_.reset_counters();
    ASSERT_EQ(client.create("/counted", ZOO_EPHEMERAL), ZOK);
    ASSERT_EQ(client.exists("/counted", true), ZOK);
    ASSERT_EQ(direct_.remove("/counted"), ZOK);
    ASSERT_TRUE(client.watch_fired.wait());
    EXPECT_EQ(proxy_.requests(opcode::create2), 1U);
    EXPECT_EQ(proxy_.requests(opcode::exists), 1U);
    EXPECT_EQ(proxy_.requests(opcode::remove), 0U);
    EXPECT_EQ(proxy_.watch_events(), 1U);
    EXPECT_GE(proxy_.requests(), 2U);
    EXPECT_EQ(proxy_.connections(), 1U);
    EXPECT_EQ(proxy_.accepted(), 1U);
    proxy_.reset_counters();
    EXPECT_EQ(proxy_.watch_events(), 0U);
}

TEST_F(proxy_test, forgets_connections_that_their_ends_close) {
    { const zk_client client{proxy_.address()}; }
    zk_client other{proxy_.address()};
    ASSERT_TRUE(other.connected.wait());
    EXPECT_TRUE(eventually([&] { return proxy_.connections() == 1; }));
}

TEST_F(proxy_test, cuts_and_lets_the_client_come_back) {
    zk_client client{proxy_.address()};
    ASSERT_TRUE(client.connected.wait());
    const auto session = client.session_id();
    proxy_.cut();
    EXPECT_TRUE(client.disconnected.wait());
    EXPECT_TRUE(client.connected.wait(2));
    EXPECT_EQ(client.session_id(), session);
}

TEST_F(proxy_test, refuses_until_it_accepts) {
    zk_client client{proxy_.address()};
    ASSERT_TRUE(client.connected.wait());
    proxy_.refuse();
    EXPECT_EQ(proxy_.connections(), 0U);
    EXPECT_TRUE(client.disconnected.wait());
    try {
        (void)four_letter_word("127.0.0.1", proxy_.port(), "ruok");
        ADD_FAILURE() << "accepted";
    } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), std::errc::connection_refused);
    }
    proxy_.accept();
    EXPECT_TRUE(client.connected.wait(2));
}

TEST_F(proxy_test, passes_four_letter_words) {
    EXPECT_EQ(four_letter_word("127.0.0.1", proxy_.port(), "ruok"), "imok");
    EXPECT_NE(four_letter_word("127.0.0.1", proxy_.port(), "srvr").find("Mode: standalone"),
              std::string::npos);
    EXPECT_EQ(proxy_.requests(), 0U);
}

TEST_F(proxy_test, moves_to_another_server) {
    tcp_proxy moving{"127.0.0.1:1"};
    zk_client client{moving.address()};
    moving.redirect(servers().connect_string());
    EXPECT_TRUE(client.connected.wait());
    EXPECT_THROW(moving.redirect("nowhere"), std::runtime_error);
}

// In a stream of bytes the proxy knows no messages, so a test cannot wait for, filter or count them.
TEST_F(proxy_test, carries_bytes_as_they_come) {
    tcp_proxy carrier{servers().connect_string(), traffic::bytes};
    carrier.filter(direction::to_client, [](frame&) { return verdict::cut_connection; });
    zk_client client{carrier.address()};
    ASSERT_TRUE(client.connected.wait());
    EXPECT_EQ(client.create("/carried", ZOO_EPHEMERAL), ZOK);
    EXPECT_EQ(carrier.requests(), 0U);
    carrier.cut();
    EXPECT_TRUE(client.disconnected.wait());
}

TEST_F(proxy_test, black_hole_stalls_and_then_delivers) {
    zk_client client{proxy_.address()};
    ASSERT_TRUE(client.connected.wait());
    proxy_.black_hole(direction::to_server);
    auto future =
        std::async(std::launch::async, [&] { return client.create("/late", ZOO_EPHEMERAL); });
    EXPECT_EQ(direct_.exists("/late"), ZNONODE);
    EXPECT_EQ(future.wait_for(10ms), std::future_status::timeout);
    proxy_.pass(direction::to_server);
    EXPECT_EQ(future.get(), ZOK);
}

TEST_F(proxy_test, black_hole_hides_the_servers_end) {
    zk_client client{proxy_.address()};
    ASSERT_TRUE(client.connected.wait());
    proxy_.black_hole(direction::to_client);
    servers().restart(0);
    EXPECT_FALSE(client.disconnected.is_set());
    EXPECT_EQ(proxy_.connections(), 1U);
    proxy_.pass();
    EXPECT_TRUE(client.disconnected.wait());
    EXPECT_TRUE(client.connected.wait(2));
}

TEST_F(proxy_test, delays_without_reordering) {
    zk_client client{proxy_.address()};
    ASSERT_TRUE(client.connected.wait());
    proxy_.delay(direction::to_server, 30ms);
    proxy_.delay(direction::to_client, 30ms);
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(client.create("/slow", ZOO_EPHEMERAL), ZOK);
    // A slow machine cannot fail this check, because a delayed message never arrives early.
    EXPECT_GE(std::chrono::steady_clock::now() - before, 60ms);
    EXPECT_EQ(client.exists("/slow"), ZOK);
    EXPECT_EQ(client.remove("/slow"), ZOK);
}

TEST_F(proxy_test, cuts_in_the_middle_of_a_message) {
    zk_client client{proxy_.address()};
    ASSERT_TRUE(client.connected.wait());
    constexpr std::size_t k_half_a_create = 20;
    proxy_.cut_after_bytes(direction::to_server, k_half_a_create);
    EXPECT_EQ(client.create("/cut-in-the-middle", ZOO_EPHEMERAL), ZCONNECTIONLOSS);
    EXPECT_TRUE(client.connected.wait(2));
    EXPECT_EQ(client.exists("/cut-in-the-middle"), ZNONODE);

    proxy_.cut_after_bytes(direction::to_client, k_half_a_create);
    EXPECT_EQ(client.create("/reply-cut", ZOO_EPHEMERAL), ZCONNECTIONLOSS);
    EXPECT_TRUE(client.connected.wait(3));
    EXPECT_EQ(client.exists("/reply-cut"), ZOK);
}

TEST(proxy_without_server, closes_its_clients) {
    const loopback_port nobody;
    tcp_proxy proxy{nobody.address()};
    EXPECT_EQ(four_letter_word("127.0.0.1", proxy.port(), "ruok"), "");
    EXPECT_TRUE(eventually([&] { return proxy.connections() == 0; }));
    EXPECT_THROW(tcp_proxy{"nonsense"}, std::runtime_error);
    EXPECT_THROW(tcp_proxy{"host:99999"}, std::runtime_error);
}

}  // namespace
