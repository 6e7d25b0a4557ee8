// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile run` during failures: signals, stopped and killed processes, broken connections, deleted znodes.
// Each time, the next command must run alone, which a file lock checks (cli_fixture.hpp).
#include <csignal>

#include "cli_fixture.hpp"
#include "support/kernel_file.hpp"
#include "turnstile/revocation.hpp"

namespace turnstile::tests {
namespace {

class cli_loss : public cli {
protected:
    // Starts a holder whose session can expire during a test. Its command ignores SIGTERM.
    [[nodiscard]] testing::process start_holder(const std::string& servers, words options = {}) {
        const words quick{"--session-timeout", "4s", "--grace", "300ms", path};
        auto holder = start_at(servers, run(options + quick, stubborn("in")));
        EXPECT_TRUE(holder.wait_for_output("in\n")) << output();
        return holder;
    }
    // Runs a command that waits for the lock, as a command on another machine would.
    [[nodiscard]] int code_of_next() { return code_of(run({"--wait", "60s", path}, alone())); }

    static pid_t keeper_of(const testing::process& runner) {
        return children_of(runner.pid()).at(0);
    }
    static pid_t command_of(const testing::process& runner) {
        return children_of(keeper_of(runner)).at(0);
    }
    void remove_holder() {
        const auto contenders = queue();
        ASSERT_EQ(contenders.size(), 1U);
        const revocation order{*observer, path};
        ASSERT_TRUE(order.take_now(contenders.front(), {.who = "test", .why = "to see"}));
    }
};

TEST_F(cli_loss, run_is_stopped) {
    auto holder = start_holder(server().connect_string());
    holder.pause();
    EXPECT_EQ(code_of_next(), 0) << output();
    holder.resume();
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 76);
}

TEST_F(cli_loss, run_is_killed) {
    const words command = run({"--session-timeout", k_long_session, path}, stubborn("in"));
    auto holder = start(command);
    ASSERT_TRUE(holder.wait_for_output("in\n")) << output();
    holder.kill();
    EXPECT_EQ(code_of_next(), 0) << output();
}

TEST_F(cli_loss, run_is_killed_while_it_waits) {
    auto holder = start(run({"--session-timeout", k_long_session, path}, stubborn("in")));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    auto waiter = start(run({"--session-timeout", k_long_session, path}, {"true"}));
    ASSERT_TRUE(eventually([this] { return queue().size() == 2; }));
    waiter.kill();
    EXPECT_TRUE(eventually([this] { return queue().size() == 1; }));
}

TEST_F(cli_loss, the_keeper_is_killed) {
    auto holder = start(run({"--session-timeout", k_long_session, path}, stubborn("in")));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    ::kill(keeper_of(holder), SIGKILL);
    EXPECT_EQ(code_of_next(), 0) << output();
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 128 + SIGKILL);
}

TEST_F(cli_loss, the_keeper_is_killed_while_run_waits) {
    auto holder = start(run({"--session-timeout", k_long_session, path}, stubborn("in")));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    auto waiter = start(run({path}, {"echo", "started"}));
    ASSERT_TRUE(eventually([this] { return queue().size() == 2; }));
    ::kill(keeper_of(waiter), SIGKILL);
    holder.kill();
    ASSERT_TRUE(waiter.wait());
    EXPECT_EQ(waiter.exit_code(), 128 + SIGKILL);
    EXPECT_TRUE(printed("(turnstile-keep) was killed, so the command cannot start")) << output();
    EXPECT_FALSE(printed("started")) << output();
}

// The daemon has left the command's process group. When its parent ends, it becomes a child of `run`.
TEST_F(cli_loss, the_keeper_is_killed_and_daemons_with_the_command) {
    const auto daemon = judged("trap '' TERM HUP; echo in; tail -f /dev/null");
    auto holder = start(run({"--session-timeout", k_long_session, path},
                            words{"setsid", "--fork", "--wait"} + daemon));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    ::kill(keeper_of(holder), SIGKILL);
    EXPECT_EQ(code_of_next(), 0) << output();
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 128 + SIGKILL);
}

TEST_F(cli_loss, the_link_is_cut) {
    tcp_proxy proxy{server().connect_string()};
    auto holder = start_holder(proxy.address(), {"--max-hold", "1h"});
    proxy.black_hole();
    EXPECT_EQ(code_of_next(), 0) << output();
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 76);
    EXPECT_TRUE(printed("turnstile: the lock was lost")) << output();
    EXPECT_FALSE(printed("max-hold")) << output();
}

// The keeper (the process that kills the command) is stopped. It must die with the command before the servers grant the
// lock to another client.
TEST_F(cli_loss, the_link_is_cut_while_the_keeper_is_stopped) {
    tcp_proxy proxy{server().connect_string()};
    auto holder = start_holder(proxy.address());
    ::kill(keeper_of(holder), SIGSTOP);
    proxy.black_hole();
    EXPECT_EQ(code_of_next(), 0) << output();
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 76);
}

// The keeper is the process that kills the command. The test sends signals to `run`, which sends a message to the
// keeper for each signal, until the stopped keeper's socket is full. Messages about the lease alone would fill the
// socket only after ten minutes.
TEST_F(cli_loss, the_link_is_cut_while_the_keeper_is_stopped_and_its_socket_is_full) {
    tcp_proxy proxy{server().connect_string()};
    auto holder = start_holder(proxy.address());
    ::kill(keeper_of(holder), SIGSTOP);
    constexpr int k_messages = 2'000;
    for (int i = 0; i != k_messages; ++i) ::kill(holder.pid(), SIGRTMIN + 1);
    proxy.black_hole();
    EXPECT_EQ(code_of_next(), 0) << output();
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 76);
}

TEST_F(cli_loss, a_connection_that_breaks_is_no_loss) {
    tcp_proxy proxy{server().connect_string()};
    const auto go = file("go");
    auto holder = start_at(proxy.address(),
                           run({"--session-timeout", k_long_session, path},
                               {"sh", "-c", "echo in; while ! test -e " + go + "; do :; done"}));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    const auto connections = proxy.accepted();
    proxy.cut();
    ASSERT_TRUE(eventually([&] { return proxy.accepted() > connections; }));
    std::ofstream{go} << "go";
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 0) << output();
}

TEST_F(cli_loss, the_znode_is_removed) {
    auto holder = start(run({"--session-timeout", k_long_session, path}, stubborn("in")));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    remove_holder();
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 76);
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(cli_loss, with_on_lost_none_the_command_goes_on_and_the_loss_is_told) {
    const auto go = file("go");
    auto holder =
        start(run({"--on-lost", "none", path},
                  {"sh", "-c", "echo in; while ! test -e " + go + "; do :; done; echo done"}));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    remove_holder();
    EXPECT_TRUE(holder.running());
    std::ofstream{go} << "go";
    ASSERT_TRUE(holder.wait());
    EXPECT_TRUE(printed("done\n")) << output();
    EXPECT_EQ(holder.exit_code(), 76);
}

TEST_F(cli_loss, sigterm_comes_first_when_the_hold_runs_out) {
    const auto polite =
        words{"sh", "-c",
              "trap 'echo asked; exit 0' TERM; echo in; while :; do tail -f /dev/null & "
              "wait; done"};
    auto holder = start(run({"--session-timeout", "4s", "--grace", "300ms", path}, polite));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    holder.pause();
    EXPECT_TRUE(holder.wait_for_output("asked")) << output();
    holder.resume();
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 76);  // 76, although the command exited with 0
}

TEST_F(cli_loss, with_on_lost_kill_there_is_no_sigterm) {
    const auto polite = words{"sh", "-c", "trap 'echo asked' TERM; echo in; while :; do :; done"};
    auto holder = start(run({"--session-timeout", "4s", "--on-lost", "kill", path}, polite));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    const pid_t command = command_of(holder);
    holder.pause();
    EXPECT_TRUE(eventually([&] { return ::kill(command, 0) != 0; }));
    EXPECT_FALSE(printed("asked")) << output();
}

class cli_loss_forwarded : public cli_loss, public ::testing::WithParamInterface<int> {};

TEST_P(cli_loss_forwarded, to_the_command_and_its_group) {
    const auto number = std::to_string(GetParam());
    auto holder = start(
        run({path}, {"sh", "-c",
                     "trap 'echo outer; exit 7' " + number + "; sh -c 'trap \"echo inner; exit\" " +
                         number + "; echo in; while :; do :; done' & wait; wait"}));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    ::kill(holder.pid(), GetParam());
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 7);
    EXPECT_TRUE(printed("outer")) << output();
}

INSTANTIATE_TEST_SUITE_P(each, cli_loss_forwarded,
                         ::testing::Values(SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2,
                                           SIGWINCH, SIGURG, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU,
                                           SIGXFSZ, SIGPWR, SIGIO, SIGSTKFLT, SIGRTMIN, SIGRTMAX),
                         [](const auto& named) { return std::to_string(named.param); });

TEST_F(cli_loss, a_signal_that_ends_the_command) {
    auto holder = start(run({path}, {"sh", "-c", "echo in; exec tail -f /dev/null"}));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    ::kill(holder.pid(), SIGTERM);
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 128 + SIGTERM);
    EXPECT_TRUE(nothing_is_left());
}

class cli_loss_wait : public cli_loss, public ::testing::WithParamInterface<int> {};

TEST_P(cli_loss_wait, a_signal_that_ends_the_wait_starts_no_command) {
    auto holder = start(run({path}, stubborn("in")));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    auto waiter = start(run({path}, {"echo", "started"}));
    ASSERT_TRUE(eventually([this] { return queue().size() == 2; }));
    for (const int for_a_command : {SIGUSR1, SIGWINCH, SIGCONT, SIGRTMIN})
        ::kill(waiter.pid(), for_a_command);
    ::kill(waiter.pid(), GetParam());
    ASSERT_TRUE(waiter.wait());
    EXPECT_EQ(waiter.exit_code(), 128 + GetParam());
    EXPECT_EQ(queue().size(), 1U);
    holder.kill();
    EXPECT_FALSE(printed("started"));
}

INSTANTIATE_TEST_SUITE_P(each, cli_loss_wait, ::testing::Values(SIGTERM, SIGALRM, SIGPWR),
                         [](const auto& named) { return std::to_string(named.param); });

TEST_F(cli_loss, a_signal_while_no_server_answers) {
    tcp_proxy proxy{server().connect_string()};
    proxy.black_hole();
    auto waiter = start_at(proxy.address(), run({"--connect-timeout", "1h", path}, {"true"}));
    ASSERT_TRUE(eventually([&] { return proxy.connections() > 0; }));
    ::kill(waiter.pid(), SIGINT);
    ASSERT_TRUE(waiter.wait());
    EXPECT_EQ(waiter.exit_code(), 128 + SIGINT);
}

// The command has ended, and `run` waits for the servers' answers about its hold.
TEST_F(cli_loss, a_signal_after_the_command_while_no_server_answers) {
    tcp_proxy proxy{server().connect_string()};
    const auto go = file("go");
    auto holder =
        start_at(proxy.address(),
                 run({"--session-timeout", k_long_session, "--connect-timeout", "1h", path},
                     {"sh", "-c", "echo in; while ! test -e " + go + "; do :; done; exit 3"}));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    const auto command = command_of(holder);
    proxy.black_hole();
    std::ofstream{go} << "go";
    ASSERT_TRUE(eventually([&] { return ::kill(command, 0) != 0; }));
    // `run` passes a signal on until it learns of the command's end. So one signal is not enough.
    EXPECT_TRUE(eventually([&] {
        ::kill(holder.pid(), SIGTERM);
        return !holder.running();
    }));
    EXPECT_EQ(holder.exit_code(), 3);
}

TEST_F(cli_loss, nohup_stays_in_force) {
    auto holder = start(run({path}, {"sh", "-c", "echo in; exec tail -f /dev/null"}));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    auto waiter = start(words{"nohup"} + run({path}, {"echo", "started"}));
    ASSERT_TRUE(eventually([this] { return queue().size() == 2; }));
    ::kill(waiter.pid(), SIGHUP);
    holder.terminate();
    ASSERT_TRUE(waiter.wait());
    EXPECT_EQ(waiter.exit_code(), 0);
}

TEST_F(cli_loss, run_is_not_put_aside) {
    const auto go = file("go");
    auto holder =
        start(run({path}, {"sh", "-c", "echo in; while ! test -e " + go + "; do :; done; exit 3"}));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    ::kill(holder.pid(), SIGTSTP);
    std::ofstream{go} << "go";
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 3);
}

// The stopped `run` cannot kill the command, so the kernel must.
TEST_F(cli_loss, the_keeper_is_killed_while_run_is_stopped) {
    auto holder = start(run({"--session-timeout", k_long_session, path},
                            {"sh", "-c", "echo in; exec tail -f /dev/null"}));
    ASSERT_TRUE(holder.wait_for_output("in\n"));
    const pid_t command = command_of(holder);
    holder.pause();
    ::kill(keeper_of(holder), SIGKILL);
    // The stopped `run` cannot reap the dead command, so the command line in /proc is empty.
    EXPECT_TRUE(eventually([&] { return support::text_of_process(command, "cmdline").empty(); }));
}

TEST_F(cli_loss, status_lines) {
    const auto reader = words{"sh", "-c", "trap '' TERM; echo in; cat <&$TURNSTILE_STATUS_FD"};
    auto holder = start(run({"--session-timeout", k_long_session, path}, reader));
    ASSERT_TRUE(holder.wait_for_output("{\"event\":\"confirmed\",\"valid_until\":")) << output();
    const revocation order{*observer, path};
    ASSERT_TRUE(order.ask(queue().at(0), {.who = "o\"ps", .why = "up\ngrade"}));
    EXPECT_TRUE(holder.wait_for_output(
        "{\"event\":\"asked_to_release\",\"who\":\"o\\\"ps\",\"why\":\"up\\ngrade\"}\n"))
        << output();
}

// Runs many commands, and stops and kills running commands. Each command takes a file lock, which shows whether two
// commands overlap. No two commands may overlap.
TEST_F(cli_loss, no_overlap_while_holders_are_stopped_and_killed) {
    constexpr int k_rounds = 6;
    for (int round = 0; round != k_rounds; ++round) {
        const auto word = "in" + std::to_string(round);
        const bool stopped = round % 2 == 0;
        auto holder = start(
            run({"--session-timeout", stopped ? "4s" : k_long_session, "--grace", "300ms", path},
                stubborn(word)));
        ASSERT_TRUE(holder.wait_for_output(word)) << output();
        auto next = start(run({path}, alone()));
        // On a slow machine, the session of 4 s may expire before the test stops the holder. The next command has then
        // already run.
        ASSERT_TRUE(eventually([&] { return queue().size() == 2 || !next.running(); }));
        if (stopped) holder.pause();
        if (!stopped) holder.kill();
        ASSERT_TRUE(next.wait());
        EXPECT_EQ(next.exit_code(), 0) << output();
    }
}

}  // namespace
}  // namespace turnstile::tests
