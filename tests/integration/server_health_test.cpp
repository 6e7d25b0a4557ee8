// SPDX-License-Identifier: Apache-2.0
// Tests the health reports of servers, and servers without a report.
#include "turnstile/server_health.hpp"

#include "support.hpp"

namespace turnstile::tests {
namespace {

constexpr std::chrono::minutes k_limit{1};

TEST(server_health, of_a_server_that_serves) {
    const auto told = health_of_servers(server().connect_string() + "/chroot", k_limit).value();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_TRUE(told[0].serves) << told[0].problem;
    EXPECT_EQ(told[0].name, server().connect_string());
    EXPECT_EQ(told[0].role, server_role::standalone);
    EXPECT_FALSE(told[0].version.empty());
    EXPECT_GT(told[0].round_trip.count(), 0);
    ASSERT_TRUE(told[0].configuration);
    EXPECT_EQ(told[0].configuration->tick, 200ms);
    EXPECT_EQ(told[0].configuration->max_session_timeout, 60s);
}

// This number of milliseconds is too large for poll() and for the clock.
TEST(server_health, is_waited_for_without_end_if_that_is_the_limit) {
    constexpr auto k_for_ever = std::chrono::milliseconds::max();
    EXPECT_TRUE(health_of_servers(server().connect_string(), k_for_ever).value()[0].serves);
    EXPECT_TRUE(
        answers_of_servers(server().connect_string(), "ruok", k_for_ever).value()[0].allowed);
}

TEST(server_health, of_servers_that_do_not) {
    tcp_proxy silent{server().connect_string()};
    silent.black_hole();
    const auto told =
        health_of_servers("127.0.0.1:1," + silent.address() + ",no-host.invalid:2181", 3s).value();
    ASSERT_EQ(told.size(), 3U);
    EXPECT_EQ(told[0].problem, "cannot be reached: Connection refused");
    EXPECT_FALSE(told[0].reachable);
    EXPECT_EQ(told[1].problem, "accepts connections, but does not answer");
    EXPECT_TRUE(told[1].reachable);
    EXPECT_EQ(told[2].problem, "the server's name cannot be resolved");
    EXPECT_EQ(told[2].name, "no-host.invalid:2181");
    const auto words = answers_of_servers("127.0.0.1:1,no-host.invalid:2181", "cons", 3s).value();
    EXPECT_EQ(words[0].problem, "cannot be reached: Connection refused");
    EXPECT_EQ(words[1].problem, "the server's name cannot be resolved");
    EXPECT_EQ(words[1].address, "no-host.invalid:2181");
}

TEST(server_health, words) {
    const auto told = answers_of_servers(server().connect_string(), "cons", k_limit).value();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_TRUE(told[0].allowed);
    EXPECT_EQ(told[0].problem, "");
    EXPECT_NE(told[0].text.find("127.0.0.1"), std::string::npos) << told[0].text;
    EXPECT_EQ(answers_of_servers(server().connect_string(), "cons\n").error(), errc::bad_option);
    EXPECT_EQ(answers_of_servers("no port", "cons").error(), errc::bad_connect_string);
    for (const auto* others : {"local:", "redis://127.0.0.1:1", "sqlite:/no/file"})
        EXPECT_TRUE(health_of_servers(others).value().empty()) << others;
}

// The server's whitelist does not allow the commands "conf" and "cons".
TEST(server_health, of_a_server_that_does_not_tell) {
    ensemble shy{{.config_lines = {"4lw.commands.whitelist=ruok, srvr"}}};
    shy.wait_until_serving();
    const auto told = health_of_servers(shy.connect_string(), k_limit).value();
    EXPECT_TRUE(told[0].serves) << told[0].problem;
    EXPECT_FALSE(told[0].configuration);
    EXPECT_FALSE(answers_of_servers(shy.connect_string(), "cons", k_limit).value()[0].allowed);
}

}  // namespace
}  // namespace turnstile::tests
