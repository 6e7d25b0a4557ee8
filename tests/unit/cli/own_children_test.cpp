// SPDX-License-Identifier: Apache-2.0
#include "cli/process_guard.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::cli {
namespace {

constexpr int k_lives = 0;
constexpr int k_cannot_be_tried = 2;

bool has_own_mounts() {
    const bool entered = ::unshare(CLONE_NEWNS) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
    return entered && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// Writes a false list of this process's children: the list names only this process itself. Then kills all children that
// the list names.
int kill_children_of_a_false_list(const std::string& list) {
    const auto number = std::to_string(::getpid());
    std::ofstream{list} << number << ' ';
    if (!has_own_mounts()) return k_cannot_be_tried;
    const own_children children;
    const auto place = "/proc/self/task/" + number + "/children";
    if (::mount(list.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) != 0)
        return k_cannot_be_tried;
    children.kill_all();
    return k_lives;
}

// own_children reads a list of its children's ids, and then kills these processes. Meanwhile the kernel may give the id
// of an ended child to another process. In this test the list contains only the id of the process that calls
// kill_all().
TEST(own_children, are_the_only_processes_that_are_killed) {
    const testing::temporary_folder folder;
    const pid_t process = ::fork();
    if (process == 0) ::_exit(kill_children_of_a_false_list((folder.path() / "children").string()));
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    if (WEXITSTATUS(status) == k_cannot_be_tried) GTEST_SKIP() << "this process may not mount";
    EXPECT_EQ(WEXITSTATUS(status), k_lives);
}

}  // namespace
}  // namespace turnstile::cli
