// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kit/support.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace {

using kit_test::alive;
using kit_test::state_of;
using namespace turnstile::testing;

class process_test : public ::testing::Test {
protected:
    [[nodiscard]] std::filesystem::path log() const { return folder_.path() / "log"; }
    [[nodiscard]] process shell(const std::string& script) const {
        return process{{.command = {"sh", "-c", script}, .output = log()}};
    }

    temporary_folder folder_;
};

TEST_F(process_test, tells_how_the_child_ended) {
    auto child = shell("exit 7");
    EXPECT_TRUE(child.wait());
    EXPECT_EQ(child.exit_code(), 7);
    EXPECT_FALSE(child.running());
}

TEST_F(process_test, collects_output_and_errors) {
    auto child = shell("echo one; echo two >&2");
    ASSERT_TRUE(child.wait());
    EXPECT_EQ(child.output(), "one\ntwo\n");
}

TEST_F(process_test, waits_for_output) {
    auto child = shell("echo READY; exec sleep 1000");
    EXPECT_TRUE(child.wait_for_output("READY"));
    EXPECT_TRUE(child.running());
    auto silent = shell("exit 0");
    EXPECT_FALSE(silent.wait_for_output("never said"));
}

TEST_F(process_test, kills_the_whole_group) {
    auto child = shell("sleep 1000 & echo \"pid $!\"; wait");
    ASSERT_TRUE(child.wait_for_output("\n"));
    const auto grandchild = static_cast<pid_t>(std::stol(child.output().substr(4)));
    child.kill();
    EXPECT_EQ(child.exit_code(), 128 + SIGKILL);
    EXPECT_TRUE(eventually([&] { return !alive(grandchild); }));
}

TEST_F(process_test, pauses_and_resumes) {
    auto child = shell("while :; do sleep 0.01; done");
    for (int i = 0; i < 3; ++i) {
        child.pause();
        // The shell's child may be stopped between vfork() and exec(). The shell then waits in vfork() (state D) and
        // does not run. The kernel stops the shell when vfork() returns.
        EXPECT_TRUE(eventually([&] {
            const char state = state_of(child.pid());
            return state == 'T' || state == 'D';
        }));
        EXPECT_TRUE(child.running());
        child.resume();
        EXPECT_TRUE(eventually([&] { return state_of(child.pid()) != 'T'; }));
    }
}

TEST_F(process_test, terminates_a_paused_child) {
    auto child = shell("trap 'exit 3' TERM; echo READY; while :; do sleep 0.01; done");
    ASSERT_TRUE(child.wait_for_output("READY"));
    child.pause();
    child.terminate();
    EXPECT_TRUE(child.wait());
    EXPECT_EQ(child.exit_code(), 3);
}

TEST_F(process_test, inherits_no_descriptor) {
    const int leaking = ::open("/dev/null", O_RDONLY);  // without close-on-exec
    auto child = shell("ls /proc/$$/fd");
    ASSERT_TRUE(child.wait());
    ::close(leaking);
    EXPECT_EQ(child.output(), "0\n1\n2\n");
}

TEST_F(process_test, starts_with_every_signal_as_it_was_made) {
    ::signal(SIGUSR1, SIG_IGN);
    sigset_t blocked;
    sigset_t before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    auto first = shell("kill -s USR1 $$");
    auto second = shell("kill -s USR2 $$");
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::signal(SIGUSR1, SIG_DFL);
    ASSERT_TRUE(first.wait() && second.wait());
    EXPECT_EQ(first.exit_code(), 128 + SIGUSR1);
    EXPECT_EQ(second.exit_code(), 128 + SIGUSR2);
}

TEST_F(process_test, sets_environment_and_folder) {
    process child{{.command = {"sh", "-c", "echo \"$COLOUR $HOME\"; pwd"},
                   .environment = {"COLOUR=green", "HOME=/nowhere"},
                   .output = log(),
                   .folder = folder_.path()}};
    ASSERT_TRUE(child.wait());
    EXPECT_EQ(child.output(), "green /nowhere\n" + folder_.path().string() + "\n");
}

TEST_F(process_test, refuses_what_cannot_run) {
    EXPECT_THROW(process{{.command = {"no-such-program"}}}, std::runtime_error);
    EXPECT_THROW(process{{.command = {}}}, std::runtime_error);
    EXPECT_THROW((process{{.command = {"true"}, .output = "/nowhere/log"}}), std::runtime_error);
}

TEST_F(process_test, serves_several_threads) {
    auto child = shell("while :; do sleep 0.01; done");
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            process other{{.command = {"true"}}};
            EXPECT_TRUE(other.wait());
            child.kill();
            EXPECT_EQ(child.exit_code(), 128 + SIGKILL);
        });
    }
}

TEST(temporary_folder_test, goes_with_all_that_is_in_it) {
    std::filesystem::path path;
    {
        const temporary_folder folder;
        path = folder.path();
        std::filesystem::create_directories(path / "a" / "b");
        std::ofstream{path / "a" / "b" / "file"} << "text";
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

// The thread has its own mounts, so no other thread uses the small /dev/shm.
TEST(temporary_folder_test, is_not_in_a_memory_that_is_small) {
    bool may_mount = false;
    std::filesystem::path path;
    std::thread{[&] {
        may_mount = ::unshare(CLONE_NEWNS) == 0 &&
                    ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                    ::mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=64m") == 0;
        if (may_mount) path = temporary_folder{}.path();
    }}.join();
    if (!may_mount) GTEST_SKIP() << "this process may not mount a file system";
    EXPECT_EQ(path.parent_path(), std::filesystem::temp_directory_path());
}

}  // namespace
