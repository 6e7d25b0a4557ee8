// SPDX-License-Identifier: Apache-2.0
// Tests the guardian, which closes the sessions of a dead process, with processes that hold a lock on real servers.
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "may_run.hpp"
#include "proc.hpp"
#include "support.hpp"
#include "support/descriptor.hpp"
#include "support/kernel_file.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

// The session timeout in milliseconds. It is longer than any wait of a test, so only the guardian can free a lock.
constexpr auto k_session_timeout = "600000";

ensemble& servers() {
    static ensemble three{{.count = 3, .max_session_timeout = 600s}};
    return three;
}

// Returns the processes that run the guardian's program.
std::set<pid_t> guardians() {
    std::set<pid_t> found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator{"/proc", ignored}) {
        const auto name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        const pid_t process = std::stoi(name);
        const auto command = support::text_of_process(process, "cmdline");
        if (command.c_str() == std::string{TURNSTILE_GUARDIAN}) found.insert(process);
    }
    return found;
}

class guardians_on_servers : public ::testing::Test {
protected:
    testing::process start(const std::string& use, const std::string& end,
                           const std::vector<std::string>& parent = {}) {
        return start_at(servers().connect_string(), use, end, parent);
    }
    testing::process start_at(const std::string& where, const std::string& use,
                              const std::string& end, const std::vector<std::string>& parent = {}) {
        auto command = parent;
        command.insert(command.end(), {TURNSTILE_HOLDER, where, path, k_session_timeout, use,
                                       TURNSTILE_GUARDIAN, end, "7"});
        return testing::process{
            {.command = command, .environment = {"TURNSTILE_GUARDIAN="}, .output = log()}};
    }
    // Starts a process that holds the lock, and that starts its guardian.
    testing::process start_guarded() {
        auto holder = start("started", "hold");
        EXPECT_TRUE(holder.wait_for_output("held")) << holder.output();
        return holder;
    }
    [[nodiscard]] std::filesystem::path log() const { return folder.path() / "log"; }
    [[nodiscard]] bool granted() {
        auto hold = lock.acquire({.timeout = limit()});
        return hold.has_value();
    }
    // Waits until a guardian has ended the session of another killed process. A guardian that mistook the test's action
    // for the holder's end would also have ended the holder's session by then.
    void let_guardians_end_a_process() {
        auto second = testing::process{
            {.command = {TURNSTILE_HOLDER, servers().connect_string(), path + "-second",
                         k_session_timeout, "started", TURNSTILE_GUARDIAN, "hold"},
             .output = folder.path() / "second"}};
        ASSERT_TRUE(second.wait_for_output("held")) << second.output();
        second.kill();
        mutex other{*others, path + "-second"};
        ASSERT_TRUE(other.acquire({.timeout = limit()}).has_value());
    }
    // Returns the guardians that started after the fixture. Some may belong to other tests.
    [[nodiscard]] std::set<pid_t> fresh_guardians() const {
        std::set<pid_t> fresh = guardians();
        for (const pid_t guardian : before) fresh.erase(guardian);
        return fresh;
    }
    [[nodiscard]] bool none_left() const {
        return eventually([this] { return guardians() == before; });
    }

    const std::set<pid_t> before = guardians();
    const testing::temporary_folder folder;
    const std::string path = lock_path();
    std::unique_ptr<client> others = connect(servers().connect_string());
    mutex lock{*others, path};
};

TEST_F(guardians_on_servers, without_one_the_lock_of_a_killed_process_stays_taken) {
    auto holder = start("off", "hold");
    ASSERT_TRUE(holder.wait_for_output("held")) << holder.output();
    holder.kill();
    EXPECT_EQ(queue_names(*others, path).size(), 1U);
    EXPECT_FALSE(lock.try_acquire().has_value());
}

TEST_F(guardians_on_servers, a_killed_process) {
    auto holder = start_guarded();
    holder.kill();
    EXPECT_TRUE(granted());
    EXPECT_TRUE(none_left());
}

// An operator ended the first session. The second session also has the long timeout, so only the guardian can end it.
TEST_F(guardians_on_servers, a_killed_process_whose_session_was_replaced) {
    auto holder = start("started", "replace");
    ASSERT_TRUE(holder.wait_for_output("held again")) << holder.output();
    EXPECT_EQ(queue_names(*others, path).size(), 1U);
    holder.kill();
    EXPECT_TRUE(granted());
    EXPECT_TRUE(none_left());
}

class ends : public guardians_on_servers, public ::testing::WithParamInterface<const char*> {};

TEST_P(ends, hand_the_lock_over_and_leave_no_guardian) {
    auto holder = start("started", GetParam());
    ASSERT_TRUE(holder.wait());
    ASSERT_NE(holder.output().find("held"), std::string::npos) << holder.output();
    EXPECT_TRUE(granted());
    EXPECT_TRUE(none_left());
}

INSTANTIATE_TEST_SUITE_P(each, ends, ::testing::Values("segv", "exit", "close"),
                         [](const auto& named) { return std::string{named.param}; });

TEST_F(guardians_on_servers, a_stopped_process_keeps_its_session) {
    auto holder = start_guarded();
    holder.pause();
    const auto stopped = queue_names(*others, path);
    let_guardians_end_a_process();
    EXPECT_EQ(queue_names(*others, path), stopped);
    EXPECT_FALSE(lock.try_acquire().has_value());
    holder.resume();
    holder.kill();
    EXPECT_TRUE(granted());
    EXPECT_TRUE(none_left());
}

// The child has a copy of the guardian's socket. That copy must not make the dead parent look alive.
TEST_F(guardians_on_servers, a_child_that_lives_on_keeps_no_lock) {
    auto holder = start("started", "fork");
    ASSERT_TRUE(holder.wait_for_output("child ")) << holder.output();
    const auto said = holder.output();
    const pid_t child = std::stoi(said.substr(said.find("child ") + 6));
    holder.kill();
    EXPECT_TRUE(granted());
    const auto state = support::stat_behind_name(child);
    EXPECT_TRUE(!state.empty() && !state.starts_with('Z')) << "the child was to live on";
    EXPECT_EQ(::kill(child, SIGKILL), 0);
    EXPECT_TRUE(none_left());
}

// After exec() the process keeps its process id, but has no socket of the guardian.
TEST_F(guardians_on_servers,
       a_process_that_becomes_another_program_keeps_its_session_until_it_ends) {
    auto holder = start("started", "exec");
    ASSERT_TRUE(holder.wait_for_output("held")) << holder.output();
    ASSERT_TRUE(eventually([&] {
        std::ifstream name{"/proc/" + std::to_string(holder.pid()) + "/comm"};
        std::string comm;
        return std::getline(name, comm) && comm == "sleep";
    }));
    const auto queue = queue_names(*others, path);
    let_guardians_end_a_process();
    EXPECT_EQ(queue_names(*others, path), queue);
    EXPECT_FALSE(lock.try_acquire().has_value());
    holder.kill();
    EXPECT_TRUE(granted());
    EXPECT_TRUE(none_left());
}

// The guardian knows the passwords of sessions. No other user may be able to read them, and a crash must write no core
// file.
TEST_F(guardians_on_servers, the_command_line_and_the_environment_say_nothing_and_no_core_is_left) {
    auto holder = start_guarded();
    const auto fresh = fresh_guardians();
    ASSERT_FALSE(fresh.empty());
    for (const pid_t guardian : fresh) {
        const std::filesystem::path process = "/proc/" + std::to_string(guardian);
        std::ifstream environment{process / "environ"};
        EXPECT_EQ(environment.peek(), std::ifstream::traits_type::eof());
        const auto text = support::text_of_kernel_file(AT_FDCWD, (process / "limits").c_str());
        EXPECT_THAT(text, ::testing::ContainsRegex("Max core file size +0 "));
        const auto words = support::text_of_kernel_file(AT_FDCWD, (process / "cmdline").c_str());
        const std::string expected = std::string{TURNSTILE_GUARDIAN} + '\0' + "--socket" + '\0';
        EXPECT_EQ(words.substr(0, expected.size()), expected);
        EXPECT_EQ(words.find_first_not_of("0123456789", expected.size()), words.size() - 1);
    }
    holder.kill();
    EXPECT_TRUE(none_left());
}

// The guardian must be outside of the process's group and terminal, and must not keep the process's descriptors open.
TEST_F(guardians_on_servers, has_a_session_of_its_own_and_no_descriptor_of_the_process) {
    auto holder = start_guarded();
    const auto of_holder = open_files(holder.pid());
    ASSERT_TRUE(of_holder.contains(std::filesystem::canonical(TURNSTILE_HOLDER).string()))
        << "a file that is inherited was to be open";
    const auto fresh = fresh_guardians();
    ASSERT_FALSE(fresh.empty());
    bool seen = false;
    for (const pid_t guardian : fresh) {
        EXPECT_NE(::getsid(guardian), ::getsid(holder.pid()));
        EXPECT_NE(::getpgid(guardian), ::getpgid(holder.pid()));
        EXPECT_EQ(::getpgid(guardian), ::getsid(guardian));
        for (const auto& file : open_files(guardian)) {
            seen = true;
            EXPECT_TRUE(file == "/dev/null" || !of_holder.contains(file)) << file;
        }
    }
    EXPECT_TRUE(seen || ::geteuid() != 0) << "no descriptor was looked at";
    holder.kill();
    EXPECT_TRUE(none_left());
}

TEST_F(guardians_on_servers, a_killed_guardian_harms_nothing) {
    auto holder = start_guarded();
    for (const pid_t guardian : fresh_guardians()) ::kill(guardian, SIGKILL);
    ASSERT_TRUE(none_left());
    EXPECT_TRUE(holder.running());
    EXPECT_FALSE(lock.try_acquire().has_value());
    holder.kill();
    // Without a guardian, the lock stays taken for the session timeout.
    EXPECT_FALSE(lock.try_acquire().has_value());
}

// When a service's main process dies, systemd sends SIGTERM to the other processes of the service.
TEST_F(guardians_on_servers, a_terminated_guardian_still_ends_the_session) {
    auto holder = start_guarded();
    const auto fresh = fresh_guardians();
    ASSERT_FALSE(fresh.empty());
    for (const pid_t guardian : fresh) EXPECT_EQ(::kill(guardian, SIGTERM), 0);
    holder.kill();
    EXPECT_TRUE(granted());
    EXPECT_TRUE(none_left());
}

TEST_F(guardians_on_servers, a_parent_passes_signals_on_and_the_exit_code_back) {
    auto parent = start("inherited", "hold", {TURNSTILE_GUARDIAN, "--"});
    ASSERT_TRUE(parent.wait_for_output("held")) << parent.output();
    ::kill(parent.pid(), SIGUSR1);
    ASSERT_TRUE(parent.wait_for_output("signal"));
    ::kill(parent.pid(), SIGTERM);
    ASSERT_TRUE(parent.wait());
    EXPECT_EQ(parent.exit_code(), 7);
    // The guardian has ended, and it closed the session before that.
    EXPECT_TRUE(queue_names(*others, path).empty());
    EXPECT_TRUE(none_left());
}

TEST_F(guardians_on_servers, a_parent_of_a_process_that_crashes) {
    auto parent = start("inherited", "segv", {TURNSTILE_GUARDIAN, "--"});
    ASSERT_TRUE(parent.wait());
    EXPECT_EQ(parent.exit_code(), 128 + SIGSEGV);
    EXPECT_TRUE(queue_names(*others, path).empty());
    EXPECT_TRUE(none_left());
}

// Ends process 1 of a PID namespace, as a container runtime does. The kernel then kills the other processes in it.
class guardians_of_containers : public guardians_on_servers {
protected:
    void SetUp() override {
        if (!may_run({"unshare", "--pid", "--fork", "true"}))
            GTEST_SKIP() << "this process may make no PID namespace";
    }
    // Starts the holder under these programs. Then kills the process `depth` generations below the first program.
    void hold_and_kill(const std::vector<std::string>& programs, int depth) {
        auto holder = start("inherited", "hold", programs);
        ASSERT_TRUE(holder.wait_for_output("held")) << holder.output();
        pid_t found = holder.pid();
        for (; depth != 0; --depth) found = children_of(found).at(0);
        ::kill(found, SIGKILL);
        ASSERT_TRUE(holder.wait());
    }
};

TEST_F(guardians_of_containers, are_killed_with_all_that_is_inside) {
    hold_and_kill({"unshare", "--pid", "--fork", "--kill-child", TURNSTILE_GUARDIAN, "--"}, 1);
    EXPECT_EQ(queue_names(*others, path).size(), 1U) << "until the session timeout";
}

TEST_F(guardians_of_containers, see_the_end_from_outside) {
    hold_and_kill({TURNSTILE_GUARDIAN, "--", "unshare", "--pid", "--fork", "--kill-child"}, 2);
    EXPECT_TRUE(queue_names(*others, path).empty());
}

TEST_F(guardians_on_servers, a_parent_that_inherits_sigchld_as_ignored) {
    testing::process parent{
        {.command = {"env", "--ignore-signal=CHLD", TURNSTILE_GUARDIAN, "--", "sh", "-c", "exit 3"},
         .output = log()}};
    ASSERT_TRUE(parent.wait());
    EXPECT_EQ(parent.exit_code(), 3);
}

TEST_F(guardians_on_servers, a_parent_listens_where_no_other_user_comes_and_leaves_nothing) {
    const auto runtime = folder.path() / "runtime";
    std::filesystem::create_directory(runtime);
    std::filesystem::permissions(runtime, std::filesystem::perms::owner_all);
    testing::process parent{
        {.command = {TURNSTILE_GUARDIAN, "--", "sh", "-c",
                     "stat -c '%a %F' $(dirname $TURNSTILE_GUARDIAN) $TURNSTILE_GUARDIAN"},
         .environment = {"XDG_RUNTIME_DIR=" + runtime.string()},
         .output = log()}};
    ASSERT_TRUE(parent.wait());
    EXPECT_EQ(parent.exit_code(), 0);
    EXPECT_THAT(parent.output(), ::testing::MatchesRegex("700 directory\n[0-7]+ socket\n"));
    EXPECT_TRUE(std::filesystem::is_empty(runtime));
}

TEST_F(guardians_on_servers, a_parent_of_no_program) {
    testing::process parent{
        {.command = {TURNSTILE_GUARDIAN, "--", "/nonexistent/program"}, .output = log()}};
    ASSERT_TRUE(parent.wait());
    EXPECT_EQ(parent.exit_code(), 127);
}

TEST_F(guardians_on_servers, a_program_that_is_not_there_is_no_reason_to_fail) {
    auto options = quick_options();
    options.guardian = {guardian_use::started, "/nonexistent/guardian"};
    const auto own = connect(servers().connect_string(), options);
    mutex theirs{*own, path};
    EXPECT_TRUE(theirs.acquire({.timeout = limit()}).has_value());
    EXPECT_EQ(own->counters().guardian, guardian_state::unguarded);
}

TEST_F(guardians_on_servers, the_counters_tell_when_it_is_gone) {
    EXPECT_EQ(others->counters().guardian, guardian_state::off);
    auto options = quick_options();
    options.guardian = {guardian_use::started, TURNSTILE_GUARDIAN};
    const auto own = connect(servers().connect_string(), options);
    EXPECT_EQ(own->counters().guardian, guardian_state::guarded);
    for (const pid_t guardian : fresh_guardians()) ::kill(guardian, SIGKILL);
    EXPECT_TRUE(eventually([&] { return own->counters().guardian == guardian_state::unguarded; }));
}

std::ptrdiff_t descriptors() {
    return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {});
}

TEST_F(guardians_on_servers, clients_share_one_and_leave_nothing) {
    auto options = quick_options();
    options.guardian = {guardian_use::started, TURNSTILE_GUARDIAN};
    const auto share = [&] {
        const auto client = connect(servers().connect_string(), options);
        const auto two = connect(servers().connect_string(), options);
        EXPECT_EQ(guardians().size(), before.size() + 1);
    };
    // The first call of share() opens descriptors that the process keeps. So the test counts descriptors after it.
    share();
    ASSERT_TRUE(none_left());
    const auto at_first = descriptors();
    share();
    EXPECT_TRUE(none_left());
    EXPECT_TRUE(eventually([&] { return descriptors() <= at_first; }));
}

#ifdef TURNSTILE_WITH_SQLITE
// Kills the process, and returns when the kernel has closed its files. The process remains a zombie.
void kill_and_await(pid_t process) {
    const support::descriptor end{static_cast<int>(::syscall(SYS_pidfd_open, process, 0))};
    ::kill(process, SIGKILL);
    pollfd awaited{end.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&awaited, 1, static_cast<int>(limit().count())), 1);
}

// The kernel closes a dead process's descriptors. But the stopped guardian still has copies of these descriptors.
TEST_F(guardians_on_servers,
       the_lock_in_a_file_of_sqlite_is_free_when_the_guardian_has_seen_the_end) {
    const auto where = "sqlite:" + (folder.path() / "locks.db").string();
    auto parent = start_at(where, "inherited", "hold", {TURNSTILE_GUARDIAN, "--"});
    ASSERT_TRUE(parent.wait_for_output("held")) << parent.output();
    const auto there = connect(where);
    mutex other{*there, path};
    parent.pause();
    kill_and_await(children_of(parent.pid()).at(0));
    EXPECT_FALSE(other.try_acquire().has_value());
    parent.resume();
    EXPECT_TRUE(other.acquire({.timeout = limit()}).has_value());
}
#endif

}  // namespace
}  // namespace turnstile::tests
