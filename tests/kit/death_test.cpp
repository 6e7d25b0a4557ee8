// SPDX-License-Identifier: Apache-2.0
// Tests that no process and no file of the testing kit (turnstile::testing) remains after the process that uses the kit
// has died.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "kit/support.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace {

using namespace turnstile::testing;
using kit_test::alive;

class sigkill_of_the_test : public ::testing::TestWithParam<const char*> {};

TEST_P(sigkill_of_the_test, ends_children_and_removes_folders) {
    kit_test::victim victim{GetParam()};
    ASSERT_TRUE(victim.ready()) << victim.output();
    const auto told = victim.output();
    const auto child = kit_test::pid_after(told, "child");
    const auto grandchild = kit_test::pid_after(told, "grandchild");
    const auto careless = kit_test::pid_after(told, "careless");
    const std::filesystem::path folder = kit_test::line_after(told, "folder");
    ASSERT_TRUE(alive(child) && alive(grandchild) && alive(careless)) << told;
    ASSERT_TRUE(std::filesystem::exists(folder)) << told;

    ASSERT_TRUE(victim.die());

    EXPECT_TRUE(eventually([&] { return !alive(child); }));
    EXPECT_TRUE(eventually([&] { return !alive(grandchild); }));
    EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(folder); }));
    // The testing kit did not start this process, and does not kill it. The kit's supervisor process notices the test's
    // death when a socket closes. If this process had inherited that socket, the supervisor would not have killed the
    // other processes.
    EXPECT_TRUE(alive(careless));
    ::kill(careless, SIGKILL);
}

INSTANTIATE_TEST_SUITE_P(child, sigkill_of_the_test, ::testing::Values("running", "paused"),
                         [](const auto& parameter) { return std::string{parameter.param}; });

TEST(forked_copy, leaves_children_and_the_folder_alone) {
    const temporary_folder folder;
    process child{{.command = {"sleep", "1000"}}};
    const pid_t copy = ::fork();
    ASSERT_GE(copy, 0);
    if (copy == 0) {
        child.kill();
        folder.~temporary_folder();
        child.~process();
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(copy, &status, 0), copy);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_TRUE(child.running());
    EXPECT_TRUE(std::filesystem::exists(folder.path()));
}

}  // namespace
