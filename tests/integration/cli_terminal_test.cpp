// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile` on a terminal (made by script(1)): progress, a command that reads, Ctrl-C, Ctrl-S and Ctrl-Z.
#include <csignal>

#include "cli_fixture.hpp"

namespace turnstile::tests {
namespace {

class cli_terminal : public cli {
protected:
    // Runs `line` on a terminal, and types the output of the command `typed` there. script(1) runs the shell that SHELL
    // names, which may differ between machines.
    [[nodiscard]] words on_terminal(const std::string& line, const std::string& typed) const {
        return {"sh", "-c",
                "( " + typed + " ) | SHELL=/bin/sh script -qec \"" + line + "\" /dev/null"};
    }
    // Without `exec`, Ctrl-C would interrupt the shell too. dash would then hide the exit code.
    [[nodiscard]] std::string run_line(const std::string& command) const {
        return std::string{"exec "} + TURNSTILE_PROGRAM + " run --tick 200ms --sync-limit 10 " +
               path + " -- " + command;
    }
    // Returns shell code that waits until the file exists.
    [[nodiscard]] std::string until(const char* name) const {
        return "while ! test -e " + file(name) + "; do :; done";
    }
    // Writes a shell script, whose text then needs no quotes in another command. Returns the command that runs it.
    [[nodiscard]] std::string script(const char* name, const std::string& text) const {
        std::ofstream{file(name)} << text;
        return "sh " + file(name);
    }
};

TEST_F(cli_terminal, progress) {
    auto holder = start(run({"--label", "first\x1b[2J", path}, stubborn("in")));
    ASSERT_TRUE(holder.wait_for_output("in"));
    auto waiter = start(on_terminal(run_line("true"), until("seen")));
    EXPECT_TRUE(waiter.wait_for_output(path + ": waiting, 2nd of 2; first is ")) << output();
    EXPECT_TRUE(waiter.wait_for_output("pid " + std::to_string(holder.pid()) + ", first\\x1b[2J"))
        << output();
    holder.kill();
    std::ofstream{file("seen")} << "yes";
    ASSERT_TRUE(waiter.wait());
    EXPECT_EQ(waiter.exit_code(), 0) << output();
}

// Ctrl-S stops the terminal's output, so each write to the terminal waits until Ctrl-Q. The shell reads "go" only after
// the terminal has processed Ctrl-S.
TEST_F(cli_terminal, a_stopped_one_delays_no_command) {
    auto holder = start(run({path}, stubborn("in")));
    ASSERT_TRUE(holder.wait_for_output("in"));
    const auto typed = "printf '\\023go\\n'; " + until("started") + "; printf '\\021'";
    auto waiter = start(on_terminal("read word; " + run_line("touch " + file("started")), typed));
    ASSERT_TRUE(eventually([this] { return queue().size() == 2; }));
    holder.kill();
    ASSERT_TRUE(waiter.wait());
    EXPECT_EQ(waiter.exit_code(), 0) << output();
}

TEST_F(cli_terminal, a_stopped_one_delays_no_leader) {
    const auto elect = std::string{"read word; exec "} + TURNSTILE_PROGRAM +
                       " elect --tick 200ms --sync-limit 10 --once " + path + " -- touch " +
                       file("led");
    const auto typed = "printf '\\023go\\n'; " + until("led") + "; printf '\\021'";
    EXPECT_EQ(code_of(on_terminal(elect, typed)), 0) << output();
}

// The shell that runs `line` ignores the interrupt, and then prints the terminal's modes.
TEST_F(cli_terminal, an_interrupt_at_a_password_leaves_the_echo_on) {
    const auto line = std::string{"trap : INT; "} + TURNSTILE_PROGRAM +
                      " serve --hash-password; echo code-\\$?; stty -a";
    const auto typed =
        "while ! grep -q Password: " + log().string() + "; do :; done; printf '\\003'";
    EXPECT_EQ(code_of(on_terminal(line, typed)), 0) << output();
    EXPECT_TRUE(printed("code-" + std::to_string(128 + SIGINT))) << output();
    EXPECT_TRUE(printed(" echo ")) << output();
}

TEST_F(cli_terminal, without_one_there_is_no_progress) {
    auto holder = start(run({path}, stubborn("in")));
    ASSERT_TRUE(holder.wait_for_output("in"));
    EXPECT_EQ(code_of(run({"--wait", "2s", path}, {"true"})), 75);
    EXPECT_FALSE(printed("waiting,")) << output();
}

TEST_F(cli_terminal, a_command_reads) {
    const auto reader = script("reader", "read word; echo got-$word");
    EXPECT_EQ(code_of(on_terminal(run_line(reader), "echo hello")), 0);
    EXPECT_TRUE(printed("got-hello")) << output();
}

TEST_F(cli_terminal, the_command_is_not_put_aside) {
    const auto reader =
        script("reader", "read one; touch " + file("first") + "; read two; echo got-$two");
    const auto typed = "echo one; " + until("first") + "; printf '\\032'; echo two";
    EXPECT_EQ(code_of(on_terminal(run_line(reader), typed)), 0);
    EXPECT_TRUE(printed("got-two")) << output();
}

TEST_F(cli_terminal, run_is_not_put_aside) {
    const auto worker = script("worker", "touch " + file("first") + "; " + until("second"));
    const auto typed = until("first") + "; printf '\\032'; touch " + file("second");
    EXPECT_EQ(code_of(on_terminal(run_line(worker), typed)), 0) << output();
}

TEST_F(cli_terminal, an_interrupt_reaches_the_command) {
    const auto worker =
        script("worker", "trap 'exit 9' INT; touch " + file("first") + "; while :; do :; done");
    const auto typed = until("first") + "; printf '\\003'";
    EXPECT_EQ(code_of(on_terminal(run_line(worker), typed)), 9) << output();
}

// The pager of the pipeline is in the terminal's foreground, where `run` must leave it.
TEST_F(cli_terminal, a_pipeline_keeps_the_terminal) {
    const auto line =
        run_line("seq 3") + " | sh -c 'cat; read word < /dev/tty; echo pager-\\$word'";
    EXPECT_EQ(code_of(on_terminal(line, "echo hello")), 0) << output();
    EXPECT_TRUE(printed("pager-hello")) << output();
}

}  // namespace
}  // namespace turnstile::tests
