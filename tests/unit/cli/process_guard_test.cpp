// SPDX-License-Identifier: Apache-2.0
// Tests the guards that end a command's processes. Each case runs in a forked child: a guard waits for all children of
// its process, and some cases change the process's namespaces.
#include "cli/process_guard.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "cli/control_group.hpp"
#include "support/descriptor.hpp"
#include "support/kernel_file.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::cli::guarded {
namespace {

// Exit codes of the child that runs a case.
constexpr int k_as_expected = 0;
constexpr int k_not_as_expected = 1;
constexpr int k_cannot_be_tried = 2;

// The result of a case. The child that runs the case writes `message` to a descriptor.
struct outcome {
    int code = -1;
    std::string message;
};
outcome in_child(const std::function<int(int message)>& work) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const support::descriptor reader{ends[0]};
    support::descriptor writer{ends[1]};
    const pid_t child = ::fork();
    if (child == 0) {
        ::setpgid(0, 0);
        ::_exit(work(writer.get()));
    }
    writer.reset();
    outcome seen;
    std::array<char, 1024> room{};
    pollfd end{reader.get(), POLLIN, 0};
    // A case that does not end within the limit counts as hanging.
    while (::poll(&end, 1, static_cast<int>(testing::limit().count())) == 1) {
        const auto size = ::read(reader.get(), room.data(), room.size());
        if (size <= 0) break;
        seen.message.append(room.data(), static_cast<std::size_t>(size));
    }
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == 0) {
        ::kill(-child, SIGKILL);
        ::waitpid(child, &status, 0);
    }
    seen.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return seen;
}

void say(int message, const std::string& text) {
    static_cast<void>(!::write(message, text.data(), text.size()));
}

// A pipe that shows whether all processes with its writing end are dead.
struct life_line {
    life_line() { static_cast<void>(!::pipe2(ends.data(), O_CLOEXEC)); }
    // Returns true if no other process has the pipe's writing end. Only the observing process may call this function.
    [[nodiscard]] bool is_cut() {
        ::close(ends[1]);
        pollfd end{ends[0], POLLIN, 0};
        return ::poll(&end, 1, 0) == 1 && (end.revents & POLLHUP) != 0;
    }
    std::array<int, 2> ends{};
};

// Waits to be killed. Ends after a bounded time if the guard fails to kill it.
[[noreturn]] void stay() {
    ::alarm(static_cast<unsigned>(
        std::chrono::duration_cast<std::chrono::seconds>(testing::limit()).count() + 1));
    for (;;) ::pause();
}

// Starts a process that runs the command. Returns when the command is ready.
pid_t start(const process_guard& guard, const std::function<void(int ready)>& command) {
    std::array<int, 2> ends{};
    static_cast<void>(!::pipe2(ends.data(), O_CLOEXEC));
    const pid_t child = ::fork();
    if (child == 0) {
        ::setpgid(0, 0);
        if (guard.join() != 0) ::_exit(1);
        command(ends[1]);
        stay();
    }
    ::close(ends[1]);
    char word = 0;
    static_cast<void>(!::read(ends[0], &word, 1));
    ::close(ends[0]);
    return child;
}

// Leaves the session and the process group and ends the parent, as daemons do.
void become_daemon(int ready) {
    if (::fork() != 0) return;
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    for (const int each : {SIGTERM, SIGHUP, SIGINT}) ::signal(each, SIG_IGN);
    say(ready, "r");
    stay();
}

// Starts daemons that adopt orphans (subreapers). So an orphan does not become a child of the guard's process.
void become_reapers(int ready) {
    for (int depth = 0; depth != 3; ++depth) {
        if (::fork() != 0) return stay();
        ::setsid();
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    }
    become_daemon(ready);
}

// Each process forks the next process and exits. The last process reports that it is ready.
void fork_without_end(int ready, int life) {
    if (::fork() != 0) return;
    say(ready, "r");
    constexpr int k_many = 1'000'000;
    for (int i = 0; i != k_many; ++i) {
        const pid_t next = ::fork();
        if (next > 0) ::_exit(0);
    }
    say(life, "the end of the line");
    ::_exit(0);
}

int outlived_by_none(guard_choice choice, int message,
                     const std::function<void(int ready, int life)>& command) {
    try {
        const process_guard guard{choice};
        life_line life;
        const pid_t pid = start(guard, [&](int ready) { command(ready, life.ends[1]); });
        const int status = guard.end_all(pid);
        const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        const bool cut = life.is_cut();
        if (!killed) say(message, "the command was not killed");
        if (!cut) say(message, "a process lives on");
        return killed && cut ? k_as_expected : k_not_as_expected;
    } catch (const no_guard& why) {
        say(message, why.what());
        return k_cannot_be_tried;
    }
}

class guards : public ::testing::TestWithParam<guard_choice> {
protected:
    static void expect_no_survivor(const std::function<void(int ready, int life)>& command) {
        const auto seen =
            in_child([&](int message) { return outlived_by_none(GetParam(), message, command); });
        if (seen.code == k_cannot_be_tried) GTEST_SKIP() << seen.message;
        EXPECT_EQ(seen.code, k_as_expected) << seen.message;
    }
};

TEST_P(guards, end_a_daemon) {
    expect_no_survivor([](int ready, int) { become_daemon(ready); });
}

TEST_P(guards, end_daemons_below_reapers) {
    expect_no_survivor([](int ready, int) { become_reapers(ready); });
}

TEST_P(guards, end_what_is_stopped) {
    expect_no_survivor([](int ready, int) {
        if (::fork() != 0) return;
        ::setsid();
        say(ready, "r");
        ::raise(SIGSTOP);
        stay();
    });
}

INSTANTIATE_TEST_SUITE_P(each, guards,
                         ::testing::Values(guard_choice::cgroup, guard_choice::children),
                         [](const auto& named) {
                             return named.param == guard_choice::cgroup ? "cgroup" : "children";
                         });

class control_groups : public ::testing::Test {};

TEST_F(control_groups, end_what_forks_without_end) {
    const auto seen = in_child([](int message) {
        return outlived_by_none(guard_choice::cgroup, message, fork_without_end);
    });
    if (seen.code == k_cannot_be_tried) GTEST_SKIP() << seen.message;
    EXPECT_EQ(seen.code, k_as_expected) << seen.message;
}

// Starts and ends a command. Returns the path of the control group that it ran in.
std::string path_of_group(const process_guard& guard) {
    const pid_t pid = start(guard, [](int ready) { say(ready, "r"); });
    const auto file = "/proc/" + std::to_string(pid) + "/cgroup";
    const auto groups = support::text_of_kernel_file(AT_FDCWD, file.c_str());
    const auto own = groups.substr(groups.find("0::") + 3);
    static_cast<void>(guard.end_all(pid));
    return own.substr(0, own.find('\n'));
}

bool is_there(const std::string& path) {
    return ::access(("/sys/fs/cgroup" + path).c_str(), F_OK) == 0 ||
           ::access(("/sys/fs/cgroup/unified" + path).c_str(), F_OK) == 0;
}

TEST_F(control_groups, are_removed) {
    const auto seen = in_child([](int message) {
        try {
            std::string path;
            {
                const process_guard guard{guard_choice::cgroup};
                path = path_of_group(guard);
                if (!is_there(path)) return k_not_as_expected;
            }
            say(message, path);
            return path.find("/turnstile-") == std::string::npos || is_there(path)
                       ? k_not_as_expected
                       : k_as_expected;
        } catch (const no_guard& why) {
            say(message, why.what());
            return k_cannot_be_tried;
        }
    });
    if (seen.code == k_cannot_be_tried) GTEST_SKIP() << seen.message;
    EXPECT_EQ(seen.code, k_as_expected) << seen.message;
}

TEST_F(control_groups, that_killed_processes_left_are_removed_by_the_next) {
    const auto left = in_child([](int message) {
        try {
            const process_guard guard{guard_choice::cgroup};
            say(message, path_of_group(guard));
            ::_exit(k_as_expected);  // no destructor runs, as after a kill
        } catch (const no_guard& why) {
            say(message, why.what());
            return k_cannot_be_tried;
        }
    });
    if (left.code == k_cannot_be_tried) GTEST_SKIP() << left.message;
    const auto seen = in_child([&](int message) {
        const process_guard guard{guard_choice::cgroup};
        const process_guard other{guard_choice::cgroup};
        say(message, path_of_group(guard));
        return is_there(left.message) ? k_not_as_expected : k_as_expected;
    });
    EXPECT_EQ(seen.code, k_as_expected) << left.message << " " << seen.message;
    EXPECT_NE(seen.message.find("/turnstile-"), std::string::npos) << seen.message;
}

// Expects that this guard cannot be made, and writes the message of the refusal to the descriptor `message`.
int refused(guard_choice choice, int message) {
    try {
        const process_guard guard{choice};
        say(message, "a guard was found");
        return k_not_as_expected;
    } catch (const no_guard& why) {
        say(message, why.what());
        return k_as_expected;
    }
}

bool enter_namespaces(int which) {
    return ::unshare(which) == 0 || ::unshare(CLONE_NEWUSER | which) == 0;
}

bool hide_proc() {
    return enter_namespaces(CLONE_NEWNS) &&
           ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount("none", "/proc", "tmpfs", 0, nullptr) == 0;
}

// Runs `work` in a new PID namespace whose /proc still shows the outer namespace.
int in_other_namespace(int message, const std::function<int()>& work) {
    if (!enter_namespaces(CLONE_NEWPID)) {
        say(message, "this process may make no PID namespace");
        return k_cannot_be_tried;
    }
    const pid_t first = ::fork();
    if (first == 0) ::_exit(work());
    int status = 0;
    ::waitpid(first, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : k_not_as_expected;
}

TEST(guard_by_children, is_refused_without_proc) {
    const auto seen = in_child([](int message) {
        if (!hide_proc()) {
            say(message, "this process may not mount");
            return k_cannot_be_tried;
        }
        return refused(guard_choice::children, message);
    });
    if (seen.code == k_cannot_be_tried) GTEST_SKIP() << seen.message;
    EXPECT_EQ(seen.code, k_as_expected) << seen.message;
    EXPECT_NE(seen.message.find("/proc/self"), std::string::npos) << seen.message;
}

TEST(guard_by_children, is_refused_with_files_that_only_look_like_proc) {
    const auto seen = in_child([](int message) {
        if (!hide_proc()) {
            say(message, "this process may not mount");
            return k_cannot_be_tried;
        }
        const auto number = std::to_string(::getpid());
        std::filesystem::create_directories("/proc/self/task/" + number);
        std::ofstream{"/proc/self/status"} << "Name:\tfake\nNSpid:\t" << number << '\n';
        std::ofstream{"/proc/self/task/" + number + "/children"} << "1 ";
        return refused(guard_choice::children, message);
    });
    if (seen.code == k_cannot_be_tried) GTEST_SKIP() << seen.message;
    EXPECT_EQ(seen.code, k_as_expected) << seen.message;
}

TEST(guard_by_children, is_refused_with_the_proc_of_another_namespace) {
    const auto seen = in_child([](int message) {
        return in_other_namespace(message,
                                  [&] { return refused(guard_choice::children, message); });
    });
    if (seen.code == k_cannot_be_tried) GTEST_SKIP() << seen.message;
    EXPECT_EQ(seen.code, k_as_expected) << seen.message;
    EXPECT_NE(seen.message.find("to another PID namespace"), std::string::npos) << seen.message;
}

// Each start of a guard removes unlocked control groups, but must keep a control group that another start is creating.
TEST(guard_by_cgroup, keeps_its_group_while_others_start) {
    if (const auto seen = in_child([](int message) {
            try {
                control_group{}.remove();
                return k_as_expected;
            } catch (const std::runtime_error& why) {
                say(message, why.what());
                return k_cannot_be_tried;
            }
        });
        seen.code == k_cannot_be_tried)
        GTEST_SKIP() << seen.message;
    constexpr int k_processes = 4;
    std::vector<pid_t> starting;
    for (int i = 0; i != k_processes; ++i) {
        starting.push_back(::fork());
        if (starting.back() != 0) continue;
        try {
            for (int round = 0; round != 100; ++round) control_group{}.remove();
        } catch (const std::runtime_error& why) {
            std::cerr << why.what() << '\n';
            ::_exit(1);
        }
        ::_exit(0);
    }
    for (const pid_t process : starting) {
        int status = 0;
        EXPECT_EQ(::waitpid(process, &status, 0), process);
        EXPECT_EQ(status, 0);
    }
}

TEST(guard_by_cgroup, needs_no_proc) {
    const auto seen = in_child([](int message) {
        if (!hide_proc()) {
            say(message, "this process may not mount");
            return k_cannot_be_tried;
        }
        return outlived_by_none(guard_choice::cgroup, message,
                                [](int ready, int) { become_daemon(ready); });
    });
    if (seen.code == k_cannot_be_tried) GTEST_SKIP() << seen.message;
    EXPECT_EQ(seen.code, k_as_expected) << seen.message;
}

TEST(guard_by_cgroup, needs_no_proc_of_its_namespace) {
    const auto seen = in_child([](int message) {
        return in_other_namespace(message, [&] {
            return outlived_by_none(guard_choice::cgroup, message,
                                    [](int ready, int) { become_daemon(ready); });
        });
    });
    if (seen.code == k_cannot_be_tried) GTEST_SKIP() << seen.message;
    EXPECT_EQ(seen.code, k_as_expected) << seen.message;
}

}  // namespace
}  // namespace turnstile::cli::guarded
