// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile dev`, which runs servers for a command or until a signal, and then removes them.
#include <csignal>

#include "cli_fixture.hpp"

namespace turnstile::tests {
namespace {

class cli_dev : public ::testing::Test {
protected:
    [[nodiscard]] testing::process start(const words& command) const {
        return testing::process{
            {.command = command,
             .environment = {"TURNSTILE_SERVERS=of another", "TMPDIR=" + work()},
             .output = log()}};
    }
    int code_of(const words& command) const {
        auto running = start(command);
        EXPECT_TRUE(running.wait());
        return running.exit_code().value_or(-1);
    }
    [[nodiscard]] std::string output() const { return text_of_file(log()); }
    [[nodiscard]] std::filesystem::path log() const { return folder.path() / "log"; }
    [[nodiscard]] std::string work() const {
        std::filesystem::create_directory(folder.path() / "work");
        return (folder.path() / "work").string();
    }
    [[nodiscard]] bool left_nothing() const {
        return eventually([this] { return std::filesystem::is_empty(work()); });
    }

    const testing::temporary_folder folder;
    const std::string program = TURNSTILE_PROGRAM;
};

TEST_F(cli_dev, sigchld_is_ignored_at_the_start) {
    const words ignoring{"env", "--ignore-signal=CHLD"};
    EXPECT_EQ(code_of(ignoring + words{program, "dev", "--", "sh", "-c", "exit 4"}), 4) << output();
}

// Some containers forbid pidfd_open().
TEST_F(cli_dev, a_host_without_process_descriptors) {
    const words preloaded{"env", std::string{"LD_PRELOAD="} + TURNSTILE_FAILING_HOST,
                          "TURNSTILE_TEST_PIDFD=1"};
    EXPECT_EQ(code_of(preloaded + words{program, "dev", "--", "sh", "-c", "exit 4"}), 4)
        << output();
}

TEST_F(cli_dev, a_command_has_servers) {
    EXPECT_EQ(code_of({program, "dev", "--", program, "run", "/a", "--", "sh", "-c",
                       "echo $TURNSTILE_SERVERS $TURNSTILE_PATH; exit 4"}),
              4);
    EXPECT_EQ(output().rfind("127.0.0.1:", 0), 0U) << output();
    EXPECT_NE(output().find(" /a\n"), std::string::npos) << output();
    EXPECT_TRUE(left_nothing());
}

TEST_F(cli_dev, three_servers) {
    EXPECT_EQ(
        code_of({program, "dev", "--count", "3", "--", "sh", "-c", "echo $TURNSTILE_SERVERS"}), 0);
    const auto said = output();
    EXPECT_EQ(std::count(said.begin(), said.end(), ','), 2) << said;
}

TEST_F(cli_dev, until_a_signal) {
    auto servers = start({program, "dev"});
    ASSERT_TRUE(servers.wait_for_output("until Ctrl-C")) << output();
    const auto said = output();
    constexpr std::string_view k_before = "export TURNSTILE_SERVERS=";
    ASSERT_EQ(said.rfind(k_before, 0), 0U) << said;
    connect(said.substr(k_before.size(), said.find('\n') - k_before.size()))->close();
    ::kill(servers.pid(), SIGINT);
    ASSERT_TRUE(servers.wait());
    EXPECT_EQ(servers.exit_code(), 0);
    EXPECT_TRUE(left_nothing());
}

TEST_F(cli_dev, a_signal_goes_to_the_command) {
    auto servers = start(
        {program, "dev", "--", "sh", "-c", "trap 'exit 6' TERM; echo in; while :; do :; done"});
    ASSERT_TRUE(servers.wait_for_output("in"));
    ::kill(servers.pid(), SIGTERM);
    ASSERT_TRUE(servers.wait());
    EXPECT_EQ(servers.exit_code(), 6);
}

TEST_F(cli_dev, what_cannot_be) {
    EXPECT_EQ(code_of({program, "dev", "--count", "2"}), 64);
    EXPECT_EQ(code_of({program, "dev", "--", "/nonexistent/program"}), 127);
    EXPECT_EQ(code_of({"env", "TURNSTILE_ZOOKEEPER_CLASSPATH=/nonexistent",
                       "JAVA_HOME=/nonexistent", program, "dev", "--", "true"}),
              69)
        << output();
}

}  // namespace
}  // namespace turnstile::tests
