// SPDX-License-Identifier: Apache-2.0
#include "base/process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace turnstile::base {
namespace {

TEST(process, generation_differs_in_a_forked_child_only) {
    const auto mine = process_generation();
    EXPECT_EQ(process_generation(), mine);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(process_generation() != mine ? 0 : 1);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(process_generation(), mine);
}

}  // namespace
}  // namespace turnstile::base
