// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile run` on a real server: its options, its exit codes, and the environment of the command.
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <regex>
#include <string>

#include "cli_fixture.hpp"
#include "support/kernel_file.hpp"

namespace turnstile::tests {
namespace {

using cli_run = cli;

TEST_F(cli_run, environment) {
    ASSERT_EQ(code_of(run({path}, {"env"}), {"TURNSTILE_TOKEN=of-another"}), 0);
    EXPECT_TRUE(printed("TURNSTILE_PATH=" + path + "\n")) << output();
    EXPECT_TRUE(printed("TURNSTILE_ZNODE=" + path + "/_c_")) << output();
    EXPECT_TRUE(printed("TURNSTILE_TOKEN=0000")) << output();
    EXPECT_TRUE(printed("TURNSTILE_VALID_UNTIL=")) << output();
    EXPECT_FALSE(printed("of-another")) << output();
    // The command's environment must not name the socket of the keeper, the process that kills the command.
    EXPECT_FALSE(printed("TURNSTILE_GUARDIAN")) << output();
}

TEST_F(cli_run, the_exit_code_is_the_commands) {
    EXPECT_EQ(code_of(run({path}, {"true"})), 0);
    EXPECT_EQ(code_of(run({path}, {"sh", "-c", "exit 3"})), 3);
    EXPECT_EQ(code_of(run({path}, {"sh", "-c", "kill -SEGV $$"})), 128 + SIGSEGV);
    EXPECT_EQ(code_of(run({path}, {"/nonexistent/program"})), 127);
    EXPECT_EQ(code_of(run({path}, {"/"})), 126);
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(cli_run, wrong_words) {
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM}), 64);
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "fly"}), 64);
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "run", path, "true"}), 64);
    EXPECT_EQ(code_of(run({}, {"true"})), 64);
    EXPECT_EQ(code_of(run({"no/slash"}, {"true"})), 64);
    EXPECT_EQ(code_of(run({"--fly", path}, {"true"})), 64);
    EXPECT_EQ(code_of(run({"--wait", "soon", path}, {"true"})), 64);
    EXPECT_EQ(code_of(run({"--shared", "--mutex", path}, {"true"})), 64);
    EXPECT_EQ(code_of(run({"--permits", "3/2", path}, {"true"})), 64);
    EXPECT_EQ(code_of(run({"--shared", "--lock-delay", "1s", path}, {"true"})), 64);
    EXPECT_EQ(code_of(run({"--lost-exit-code", "0", path}, {"true"})), 64);
    EXPECT_EQ(code_of(run({"/zookeeper/a"}, {"true"})), 64);
    EXPECT_EQ(code_of(run({"--try", "--wait", "1s", path}, {"true"})), 64);
    EXPECT_EQ(code_of(run({"--grace", "1h", path}, {"true"})), 64);
    EXPECT_EQ(code_of(run({path, path}, {"true"})), 64);
    // Each refusal prints one line.
    const auto said = output();
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 15) << said;
}

TEST_F(cli_run, servers_that_are_not_there) {
    const auto command = run({"--connect-timeout", "1s", path}, {"true"});
    auto nobody = start_at("127.0.0.1:1", command);
    ASSERT_TRUE(nobody.wait());
    EXPECT_EQ(nobody.exit_code(), 69);
    EXPECT_TRUE(
        printed("in time: 127.0.0.1:1 (Connection refused); turnstile waited 1 s for a server "
                "(--connect-timeout)\n"))
        << output();
    EXPECT_EQ(code_of(words{TURNSTILE_PROGRAM, "run", "--servers", "127.0.0.1:1",
                            "--connect-timeout", "200ms", path, "--", "true"}),
              69);
    auto none = start_at("", command);
    ASSERT_TRUE(none.wait());
    EXPECT_EQ(none.exit_code(), 64);
    auto local = start_at("local:", command);
    ASSERT_TRUE(local.wait());
    EXPECT_EQ(local.exit_code(), 64);
    EXPECT_TRUE(printed("inside one process")) << output();
}

TEST_F(cli_run, credentials_come_from_a_private_file) {
    const auto secret = file("secret");
    std::ofstream{secret} << "shop:secret\n";
    ASSERT_EQ(::chmod(secret.c_str(), 0644), 0);
    EXPECT_EQ(code_of(run({"--credentials-file", secret, path}, {"true"})), 64);
    ASSERT_EQ(::chmod(secret.c_str(), 0600), 0);
    EXPECT_EQ(code_of(run({path}, {"true"}), {"TURNSTILE_CREDENTIALS_FILE=" + secret}), 0);
    // The lock's folder belongs to another user.
    EXPECT_EQ(code_of(run({path}, {"true"})), 77) << output();
}

TEST_F(cli_run, a_lock_that_is_taken) {
    const auto inner = run({"--try", path}, {"true"});
    EXPECT_EQ(code_of(run({path, "--label", "nightly"}, inner)), 75);
    EXPECT_TRUE(std::regex_search(output(), std::regex{": contenders ahead: 1; held by \\S+, pid "
                                                       "[0-9]+, nightly, since 20\\S+Z\n"}))
        << output();
    EXPECT_EQ(code_of(run({path}, run({"--wait", "2s", path}, {"true"}))), 75);
    EXPECT_EQ(code_of(inner), 0);
}

// If an outer `run` holds the lock, an inner `run` must not wait for that lock, because the outer `run` waits for the
// inner one.
TEST_F(cli_run, a_lock_that_is_held_above) {
    const auto second = path + "-second";
    const auto inside = [&](const words& options) { return run(options, {"echo", "inside"}); };
    EXPECT_EQ(code_of(run({path}, inside({path}))), 64);
    EXPECT_EQ(code_of(run({"-x", path}, inside({"--shared", path}))), 64);
    EXPECT_EQ(code_of(run({path}, run({second}, inside({path})))), 64);
    EXPECT_TRUE(printed(path + ": a turnstile run that started this one holds the lock"))
        << output();
    EXPECT_EQ(code_of(run({path}, {TURNSTILE_PROGRAM, "elect", path, "--", "echo", "inside"})), 64);
    EXPECT_TRUE(printed(path + ": a turnstile run that started this election holds the lock"))
        << output();
    EXPECT_FALSE(printed("inside"));
    EXPECT_EQ(code_of(run({path}, run({second}, inside({"--reenter", path, second})))), 0);
    EXPECT_EQ(code_of(run({"-x", path}, inside({"--reenter", "--shared", path}))), 0);
    EXPECT_TRUE(printed("inside\ninside\n")) << output();
    EXPECT_EQ(code_of(run({"-s", path}, inside({"--reenter", "-x", path}))), 64);
    EXPECT_EQ(code_of(run({path}, inside({"--reenter", path, second}))), 64);
    EXPECT_TRUE(
        printed(second + ": no turnstile run that started this one holds the lock as mutex"))
        << output();
    EXPECT_EQ(code_of(inside({"--reenter", path})), 0);
}

// A program such as at(1) may start the command after the hold has ended. TURNSTILE_HELD then names an ended hold.
TEST_F(cli_run, a_lock_that_was_held_above) {
    const auto kept = file("held");
    EXPECT_EQ(code_of(run({path}, {"sh", "-c", "printenv TURNSTILE_HELD >" + kept})), 0);
    std::string held;
    std::getline(std::ifstream{kept}, held);
    ASSERT_TRUE(held.ends_with(' ' + path)) << held;
    const auto with_own_hold = run({"--reenter", path}, {"printenv", "TURNSTILE_TOKEN"});
    EXPECT_EQ(code_of(with_own_hold, {"TURNSTILE_HELD=" + held}), 0);
    EXPECT_EQ(code_of(with_own_hold, {"TURNSTILE_HELD=mutex " + path}), 0);
    EXPECT_EQ(code_of(with_own_hold, {"TURNSTILE_HELD=mutex 1@1@pid:[1] " + path}), 64);
    EXPECT_TRUE(printed("another PID namespace")) << output();
}

TEST_F(cli_run, exit_codes_of_the_callers_own) {
    const words chosen{"-E", "11", "--lost-exit-code", "12"};
    const auto inner = run(chosen + words{"--try", path}, {"true"});
    EXPECT_EQ(code_of(run({path}, inner)), 11);
    EXPECT_EQ(code_of(run(chosen + words{path}, {"sh", "-c", "exit 75"})), 75);
    EXPECT_EQ(code_of(run(chosen + words{"--grace", "100ms", "--max-hold", "500ms", path},
                          stubborn("in"))),
              12);
}

// --exclusive, --shared and their short forms mean the same as in flock(1).
TEST_F(cli_run, exclusive_and_shared) {
    const words exclusive{"-x", path};
    const words shared{"--shared", path};
    const words attempt{"--try"};
    EXPECT_EQ(code_of(run(shared, run(attempt + shared, {"true"}))), 0);
    EXPECT_EQ(code_of(run(shared, run(attempt + exclusive, {"true"}))), 75);
    EXPECT_EQ(code_of(run(exclusive, run(attempt + shared, {"true"}))), 75);
    EXPECT_EQ(code_of(run(exclusive, run(attempt + exclusive, {"true"}))), 75);
    EXPECT_TRUE(printed("; held by ")) << output();
}

TEST_F(cli_run, permits) {
    const auto inner = [&](const char* share) {
        return run({"--try", "--permits", share, path}, {"true"});
    };
    EXPECT_EQ(code_of(run({"--permits", "2/3", path}, inner("1/3"))), 0);
    EXPECT_EQ(code_of(run({"--permits", "2/3", path}, inner("2/3"))), 75);
    EXPECT_TRUE(printed("; held by ")) << output();
}

TEST_F(cli_run, the_mutex_of_an_application) {
    mutex theirs{*observer, path};
    auto hold = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    EXPECT_EQ(code_of(run({"--try", path}, {"true"})), 75);
    EXPECT_EQ(code_of(run({"--try", "--mutex", path}, {"true"})), 75);
    // `run` refuses other kinds of locks at a mutex's path, because they would not exclude the mutex.
    for (const char* const kind : {"-x", "--shared", "--permits=2"})
        EXPECT_EQ(code_of(run({"--try", kind, path}, {"true"})), 64);
    EXPECT_TRUE(
        printed(": a mutex came first at this path (--mutex), and --exclusive does not "
                "exclude a mutex: give --mutex, or another path\n"))
        << output();
    EXPECT_EQ(queue().size(), 1U);
    ASSERT_TRUE(hold->release());
    EXPECT_EQ(code_of(run({"--try", path}, {"true"})), 0);
}

// An application's mutex and the command exclude each other, whichever comes first.
TEST_F(cli_run, keeps_an_applications_mutex_out) {
    auto holder = start(run({path}, stubborn("in")));
    ASSERT_TRUE(holder.wait_for_output("in"));
    mutex theirs{*observer, path};
    EXPECT_EQ(theirs.try_acquire({.timeout = limit()}).error(), errc::busy);
    shared_mutex others{*observer, path};
    EXPECT_TRUE(others.try_acquire({.timeout = limit()}).has_value());
    auto options = quick_options();
    options.foreign_kinds = foreign_kind_policy::refuse;
    const auto strict = connect(server().connect_string(), options);
    EXPECT_EQ(shared_mutex(*strict, path).try_acquire({.timeout = limit()}).error(),
              errc::bad_option);
    // The folder's data have no number of permits, so the path is no semaphore.
    EXPECT_EQ(semaphore(*strict, path, 2).try_acquire({.timeout = limit()}).error(),
              errc::bad_path);
}

TEST_F(cli_run, all_paths_or_none) {
    const auto second = path + "-second";
    const auto both = run({"--try", path, second}, {"true"});
    EXPECT_EQ(code_of(run({second}, both)), 75);
    EXPECT_TRUE(printed("; " + second + " is held by ")) << output();
    EXPECT_FALSE(printed("; " + path + " is held by ")) << output();
    EXPECT_EQ(code_of(run({second}, run({"--try", path}, {"true"}))), 0);
    EXPECT_EQ(code_of(run({path, second}, {"env"})), 0);
    EXPECT_TRUE(printed("TURNSTILE_PATH=" + path + "\n" + second)) << output();
}

TEST_F(cli_run, a_shell_gets_its_line) {
    EXPECT_EQ(code_of(run({"--shell", path}, {"echo one; exit 5"})), 5);
    EXPECT_TRUE(printed("one\n"));
}

TEST_F(cli_run, the_commands_flags_are_its_own) {
    EXPECT_EQ(code_of(run({path}, {"echo", "--try", "--help", "--", "-n"})), 0);
    EXPECT_EQ(output(), "--try --help -- -n\n");
}

TEST_F(cli_run, the_label_that_others_see) {
    auto holder = start(run({"--label", "[a,\"b]", path}, stubborn("in")));
    ASSERT_TRUE(holder.wait_for_output("in"));
    const auto contenders = queue();
    ASSERT_EQ(contenders.size(), 1U);
    EXPECT_EQ(contenders.front().metadata.label, "[a,\"b]");
    EXPECT_EQ(contenders.front().metadata.pid, std::to_string(holder.pid()));
}

TEST_F(cli_run, a_hold_with_a_limit) {
    EXPECT_EQ(code_of(run({"--grace", "100ms", "--max-hold", "500ms", path}, stubborn("in"))), 76);
    EXPECT_TRUE(printed("in\n"));
    // The second text is the library's message. `run` prints that text if the command died after the end of the hold.
    EXPECT_TRUE(printed("ran: --max-hold was about") || printed("as long as max_hold allows"))
        << output();
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(cli_run, the_delay_after_a_crash) {
    auto holder = start(run({"--lock-delay", "1h", path}, stubborn("in")));
    ASSERT_TRUE(holder.wait_for_output("in"));
    holder.kill();
    EXPECT_EQ(code_of(run({"--lock-delay", "1h", "--wait", "2s", path}, {"true"})), 75);
    EXPECT_EQ(code_of(run({"--wait", "30s", path}, {"true"})), 0);
}

TEST_F(cli_run, once_in_a_period) {
    EXPECT_EQ(code_of(run({"--once-per", "1h", path}, {"echo", "ran"})), 0);
    EXPECT_EQ(code_of(run({"--once-per", "1h", path}, {"echo", "again"})), 0);
    EXPECT_EQ(code_of(run({"--once-per", "1h", "--not-due-exit-code", "9", path}, {"true"})), 9);
    EXPECT_TRUE(printed("ran\n"));
    EXPECT_FALSE(printed("again\n"));
    EXPECT_TRUE(printed(path + ": the job is not due for ")) << output();
}

TEST_F(cli_run, once_and_it_failed) {
    EXPECT_EQ(code_of(run({"--once-per", "1h", path}, {"sh", "-c", "exit 3"})), 3);
    EXPECT_EQ(job_gate(*observer, path, {.period = 1h}).last().value().state, job_state::failed);
    EXPECT_EQ(code_of(run({"--once-per", "1h", "--not-due-exit-code", "9", path}, {"true"})), 9);
}

TEST_F(cli_run, once_while_it_runs_elsewhere) {
    auto first = start(run({"--once-per", "1h", path}, stubborn("in")));
    ASSERT_TRUE(first.wait_for_output("in"));
    EXPECT_EQ(code_of(run({"--once-per", "1h", "--not-due-exit-code", "9", path}, {"true"})), 9);
    EXPECT_TRUE(printed("another process runs the job; try again in ")) << output();
}

TEST_F(cli_run, once_beside_a_lock_of_another_kind) {
    auto other = start(run({"--label", "backup", path}, stubborn("in")));
    ASSERT_TRUE(other.wait_for_output("in"));
    EXPECT_EQ(code_of(run({"--once-per", "1h", path}, {"echo", "ran"})), 64);
    EXPECT_TRUE(printed("a lock that is no job_gate is held at this path")) << output();
    EXPECT_FALSE(printed("ran\n")) << output();
}

// The lock must also protect the command's background processes, so `run` ends them with the command.
TEST_F(cli_run, background_processes_end_with_the_command) {
    const auto background =
        run({path}, {"sh", "-c", "flock -n " + judge() + " tail -f /dev/null & exit 4"});
    EXPECT_EQ(code_of(background), 4);
    EXPECT_EQ(code_of(alone()), 0);
}

TEST_F(cli_run, daemons_end_with_the_command) {
    const auto daemon =
        run({path}, {"sh", "-c",
                     "setsid -f flock -n " + judge() + " sh -c 'trap \"\" TERM HUP; touch " +
                         file("started") + "; tail -f /dev/null' ; while ! test -e " +
                         file("started") + "; do :; done; exit 4"});
    EXPECT_EQ(code_of(daemon), 4);
    EXPECT_EQ(code_of(alone()), 0);
}

// Programs that start programs often ignore SIGCHLD, and their children inherit this setting.
TEST_F(cli_run, sigchld_is_ignored_at_the_start) {
    const words ignoring{"env", "--ignore-signal=CHLD"};
    EXPECT_EQ(code_of(ignoring + run({path}, {"sh", "-c", "exit 5"})), 5);
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(cli_run, what_ends_it_ends_a_command_that_is_stopped) {
    auto holder = start(run({path}, judged("echo in; kill -STOP $$")));
    ASSERT_TRUE(holder.wait_for_output("in"));
    const pid_t command = children_of(children_of(holder.pid()).at(0)).at(0);
    ASSERT_TRUE(eventually([&] {
        return support::text_of_process(command, "stat").find(") T ") != std::string::npos;
    }));
    ::kill(holder.pid(), SIGTERM);
    ASSERT_TRUE(holder.wait()) << output();
    EXPECT_EQ(holder.exit_code(), 128 + SIGTERM);
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(cli_run, closed_streams) {
    const std::string program = TURNSTILE_PROGRAM;
    const auto shell = [&](const std::string& line) { return code_of({"sh", "-c", line}); };
    // The command must get closed streams, and not one of the program's pipes.
    EXPECT_EQ(shell("exec " + program + " run " + path + " -- sh -c 'echo lost' <&- >&- 2>&-"), 1);
    EXPECT_EQ(shell("exec " + program + " run " + path + " -- cat <&-"), 1);
    EXPECT_EQ(shell("exec " + program + " run " + path + " -- sh -c 'ls -l /proc/$$/fd > " +
                    file("open") + "' <&- >&-"),
              0);
    EXPECT_NE(text_of_file(file("open")).find(" 0 -> /dev/null"), std::string::npos)
        << text_of_file(file("open"));
    EXPECT_EQ(shell("exec " + program + " run " + path + " -- true <&- >&- 2>&-"), 0);
    EXPECT_EQ(shell("exec " + program + " run --help > /dev/full"), 74);
    EXPECT_EQ(shell("exec " + program + " run --help >&-"), 74);
    EXPECT_EQ(shell("exec " + program + " completion bash > /dev/full"), 74);
    EXPECT_EQ(shell("exec " + program + " run --fly 2> /dev/full"), 64);
    EXPECT_EQ(shell("exec " + program + " run " + path + " -- echo lost > /dev/full"), 1);
}

TEST_F(cli_run, help_and_version) {
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "--help"}), 0);
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "run", "--help"}), 0);
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "--version"}), 0);
    EXPECT_TRUE(printed("Usage: turnstile run [OPTION]... PATH... -- COMMAND")) << output();
    EXPECT_TRUE(printed("\nturnstile 0.")) << output();
}

}  // namespace
}  // namespace turnstile::tests
