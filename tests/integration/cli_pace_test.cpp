// SPDX-License-Identifier: Apache-2.0
// Tests that `turnstile run` at a follower uses the server's tick, unless the command line sets a tick.
#include "cli_fixture.hpp"

namespace turnstile::tests {
namespace {

// The relay bound is the longest time until the leader learns of a message that a follower has answered. It is 2.2 s
// with the servers of the testing kit, and 12 s with ZooKeeper's sample configuration. With a session timeout of 10 s,
// only a relay bound of 2.2 s allows a lease through a follower.
TEST(cli_pace, is_the_servers_own) {
    const testing::temporary_folder folder;
    const auto log = folder.path() / "log";
    const testing::ensemble servers{{.count = 3}};
    const auto follower = servers.connect_string(servers.follower().value());
    const auto code_of = [&](const words& pace) {
        const words options{"--session-timeout", "10s", "--grace", "100ms"};
        testing::process run{{.command = words{TURNSTILE_PROGRAM, "run"} + options + pace +
                                         words{"/tests/cli_pace", "--", "true"},
                              .environment = {"TURNSTILE_SERVERS=" + follower},
                              .output = log}};
        EXPECT_TRUE(run.wait());
        return run.exit_code().value_or(-1);
    };
    EXPECT_EQ(code_of({}), 0) << text_of_file(log);
    EXPECT_EQ(code_of({"--on-lost", "kill"}), 0) << text_of_file(log);
    EXPECT_EQ(code_of({"--tick", "2s", "--sync-limit", "5"}), 64) << text_of_file(log);
    // The library's warning about a short session is for programs. A user of the command gets an exit code and one
    // line.
    code_of({"--on-lost", "kill", "--tick", "2s"});
    EXPECT_EQ(text_of_file(log).find("[warning]"), std::string::npos) << text_of_file(log);
}

}  // namespace
}  // namespace turnstile::tests
