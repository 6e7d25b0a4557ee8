// SPDX-License-Identifier: Apache-2.0
// Tests that all processes of a `turnstile run` command are dead before another client gets the lock. If that cannot be
// guaranteed, the command does not start.
#include "cli_fixture.hpp"

namespace turnstile::tests {
namespace {

// Runs a program in new namespaces. In some of them /proc is missing, or shows another PID namespace.
words in_namespaces(const words& kinds, const words& program) {
    words whole{"unshare"};
    if (::geteuid() != 0) whole.emplace_back("--map-root-user");
    return whole + kinds + program;
}
words without_proc(const words& program) {
    return in_namespaces({"--mount", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh"},
                         program);
}
words with_outer_proc(const words& program) {
    return in_namespaces({"--pid", "--fork", "--kill-child"}, program);
}

class cli_guard : public cli {
protected:
    // Returns an empty text if the namespaces are available, or else the program's message.
    [[nodiscard]] std::string why_not(const words& start) const {
        return code_of(start) == 0 ? "" : output();
    }
    [[nodiscard]] bool may_enter(words (*enter)(const words&)) const {
        return code_of(enter({"true"})) == 0;
    }
    // Returns a command that starts daemons which ignore SIGTERM, and waits for them.
    [[nodiscard]] words daemons(const std::string& word) const {
        return words{"setsid", "--fork", "--wait"} +
               judged("trap '' TERM HUP; echo " + word + "; tail -f /dev/null");
    }
    [[nodiscard]] int code_of_next() const {
        return code_of(run({"--wait", "60s", path}, alone()));
    }
};

TEST_F(cli_guard, no_command_starts_without_proc) {
    if (!may_enter(without_proc)) GTEST_SKIP() << "this process may not mount: " << output();
    const words started{"echo", "started"};
    EXPECT_EQ(code_of(without_proc(run({"--guard", "children", path}, started))), 126);
    EXPECT_TRUE(printed(
        "turnstile: turnstile could not find and kill the processes that the command starts: "))
        << output();
    EXPECT_EQ(code_of(without_proc({TURNSTILE_PROGRAM, "elect", "--guard", "children", path, "--",
                                    "echo", "started"})),
              126);
    EXPECT_FALSE(printed("started\n")) << output();
}

// In this test /proc shows another PID namespace, so `run` could not find its processes in /proc.
TEST_F(cli_guard, no_command_starts_with_the_proc_of_another_namespace) {
    if (!may_enter(with_outer_proc)) GTEST_SKIP() << "no PID namespace: " << output();
    EXPECT_EQ(code_of(with_outer_proc(run({"--guard", "children", path}, {"echo", "started"}))),
              126);
    EXPECT_TRUE(printed("/proc belongs to another PID namespace")) << output();
    EXPECT_FALSE(printed("started\n")) << output();
}

// In older kernels, `unshare --time` gives a program's children a clock that differs from the program's clock
// (apart_clock.cpp).
class cli_guard_clocks : public cli_guard {
protected:
    void SetUp() override {
        const std::string own = "/proc/self/ns/time";  // older kernels have no such file
        if (code_of(apart(
                {"sh", "-c",
                 "test -e " + own + " && ! test " + own + " -ef " + own + "_for_children"})) != 0)
            GTEST_SKIP() << "this process may make no time namespace";
    }

    // Returns a command that runs the program with apart_clock.cpp preloaded. `unshare --time` would start the program
    // by exec(), and in newer kernels exec() gives the program itself the clock of its children.
    [[nodiscard]] static words apart(const words& program) {
        return words{"env", std::string{"LD_PRELOAD="} + TURNSTILE_APART_CLOCK} + program;
    }
};

// The keeper is a child process that kills the command before the lease ends. Here the keeper's clock would differ from
// the clock of `run`, and the keeper might kill the command too late. So no command may start.
TEST_F(cli_guard_clocks, no_command_starts_where_the_keepers_is_another) {
    for (const char* kind : {"run", "elect"}) {
        EXPECT_EQ(code_of(apart({TURNSTILE_PROGRAM, kind, path, "--", "echo", "started"})), 126);
        EXPECT_TRUE(printed("the command would have another clock")) << output();
    }
    EXPECT_FALSE(printed("started\n")) << output();
}

#ifdef TURNSTILE_WITH_SQLITE
// With a clock that is a day ahead, the process would treat each session in the SQLite file as expired, and a held lock
// as free.
TEST_F(cli_guard_clocks, no_sqlite_file_is_used_where_only_childrens_are_shown) {
    const words list{TURNSTILE_PROGRAM,           "ls", "--connect-timeout", "1s", "--servers",
                     "sqlite:" + file("locks.db")};
    EXPECT_EQ(code_of(apart(list)), 69) << output();
    EXPECT_TRUE(printed("shows the clocks of this process's children")) << output();
    EXPECT_EQ(code_of(list), 0) << output();
}
#endif

TEST_F(cli_guard, the_command_is_told_which_is_in_force) {
    const words tell{"sh", "-c", "echo by $TURNSTILE_GUARD"};
    EXPECT_EQ(code_of(run({"--guard", "children", path}, tell)), 0) << output();
    EXPECT_TRUE(printed("by children\n")) << output();
    EXPECT_EQ(code_of(run({path}, tell)), 0) << output();
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "run", "--guard", "none", path, "--", "true"}), 64);
    if (const auto why = why_not(run({"--guard", "cgroup", path}, tell)); !why.empty())
        GTEST_SKIP() << why;
    EXPECT_TRUE(printed("by cgroup\n")) << output();
}

struct way {
    const char* name;
    const char* guard;
    words (*enter)(const words&);
};
words as_it_is(const words& program) {
    return program;
}

class cli_guards : public cli_guard, public ::testing::WithParamInterface<way> {
protected:
    void SetUp() override {
        const auto trial = run({"--guard", GetParam().guard, path}, {"true"});
        if (const auto why = why_not(GetParam().enter(trial)); !why.empty()) GTEST_SKIP() << why;
    }
};

TEST_P(cli_guards, end_daemons_before_the_next_holder) {
    tcp_proxy proxy{server().connect_string()};
    auto holder =
        start_at(proxy.address(), GetParam().enter(run({"--session-timeout", "4s", "--grace",
                                                        "300ms", "--guard", GetParam().guard, path},
                                                       daemons("in"))));
    ASSERT_TRUE(holder.wait_for_output("in")) << output();
    proxy.black_hole();
    EXPECT_EQ(code_of_next(), 0) << output();
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 76) << output();
}

TEST_P(cli_guards, end_daemons_with_the_command) {
    const words leaves_a_daemon{
        "sh", "-c", "setsid --fork sh -c 'trap \"\" TERM HUP; echo in; exec tail -f /dev/null'"};
    EXPECT_EQ(code_of(GetParam().enter(
                  run({"--session-timeout", k_long_session, "--guard", GetParam().guard, path},
                      leaves_a_daemon))),
              0)
        << output();
    EXPECT_TRUE(nothing_is_left());
}

INSTANTIATE_TEST_SUITE_P(
    each, cli_guards,
    ::testing::Values(way{"children", "children", as_it_is}, way{"cgroup", "cgroup", as_it_is},
                      way{"cgroup_without_proc", "cgroup", without_proc},
                      way{"cgroup_with_outer_proc", "cgroup", with_outer_proc}),
    [](const auto& named) { return std::string{named.param.name}; });

}  // namespace
}  // namespace turnstile::tests
