// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile sessions` on real servers, some of which refuse to report sessions.
#include <nlohmann/json.hpp>

#include "cli_fixture.hpp"

namespace turnstile::tests {
namespace {

using nlohmann::json;

class cli_sessions : public cli {};

TEST_F(cli_sessions, with_their_hosts_and_znodes) {
    mutex lock{*observer, path + "/a"};
    auto hold = lock.acquire({.timeout = limit(), .label = "the label"}).value();
    ASSERT_TRUE(hold.commit(transaction{}.create(path + "/a/live", "", node_kind::ephemeral),
                            {.timeout = limit()}));
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "sessions", "-o", "json", path}), 0) << output();
    const auto said = json::parse(output());
    ASSERT_EQ(said.at("sessions").size(), 1U) << said;
    const auto& session = said.at("sessions").at(0);
    EXPECT_EQ(session.at("pid"), std::to_string(::getpid()));
    EXPECT_EQ(session.at("label"), "the label");
    EXPECT_EQ(session.at("server"), server().connect_string());
    EXPECT_EQ(session.at("timeout_ms"), 4'000);
    EXPECT_EQ(session.at("address").get<std::string>().find("127.0.0.1:"), 0U);
    ASSERT_EQ(session.at("znodes").size(), 2U);
    EXPECT_EQ(session.at("znodes").at(0), json({{"path", hold.znode()}, {"part", "holds"}}));
    EXPECT_EQ(session.at("znodes").at(1).at("part"), "other");
    EXPECT_TRUE(said.at("not_told").empty()) << said;
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "sessions", "-o", "wide", path}), 0);
    EXPECT_TRUE(printed("  holds  " + hold.znode() + "\n")) << output();
}

TEST_F(cli_sessions, what_is_not_told_is_said) {
    ensemble shy{{.config_lines = {"4lw.commands.whitelist=ruok, srvr"}}};
    shy.wait_until_serving();
    const auto alone = connect(shy.connect_string());
    mutex lock{*alone, path};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    auto listing = start_at(shy.connect_string(), {TURNSTILE_PROGRAM, "sessions"});
    ASSERT_TRUE(listing.wait());
    EXPECT_EQ(listing.exit_code(), 0) << output();
    EXPECT_TRUE(printed("  " + std::to_string(::getpid()) + "  ")) << output();
    EXPECT_TRUE(printed(shy.connect_string() + ": dump")) << output();
}

TEST_F(cli_sessions, none_and_wrong_words) {
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "sessions", path}), 0);
    EXPECT_EQ(output(), "no session has a znode below " + path + "\n");
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "sessions", "no/slash"}), 64);
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "sessions", "--servers", "127.0.0.1:1",
                       "--connect-timeout", "200ms"}),
              69);
    EXPECT_EQ(
        code_of({"sh", "-c", std::string{TURNSTILE_PROGRAM} + " sessions -o json > /dev/full"}),
        74);
}

}  // namespace
}  // namespace turnstile::tests
