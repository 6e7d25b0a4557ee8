// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile run` at a follower: it uses the tick that the server reports, unless the command line sets one.
#include "cli_fixture.hpp"

namespace turnstile::tests {
namespace {

// The kit's servers have a relay bound of 2.2 s; ZooKeeper's sample configuration has 12 s. With a session of 10 s, a
// lease through a follower is possible only with the smaller bound.
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
    // The library's warning about a short session is for programs. The command shows people an exit code and one line
    // instead.
    code_of({"--on-lost", "kill", "--tick", "2s"});
    EXPECT_EQ(text_of_file(log).find("[warning]"), std::string::npos) << text_of_file(log);
}

}  // namespace
}  // namespace turnstile::tests
