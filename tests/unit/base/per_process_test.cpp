// SPDX-License-Identifier: Apache-2.0
#include "base/process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace turnstile::base {
namespace {

struct counter {
    int count = 0;
};

TEST(per_process, is_one_value_within_a_process) {
    static per_process<counter> all;  // none of its values is ever destroyed
    ++all.get().count;
    EXPECT_EQ(all.get().count, 1);
}

TEST(per_process, is_a_new_value_in_a_forked_child_and_the_old_one_in_the_parent) {
    static per_process<counter> all;  // none of its values is ever destroyed
    all.get().count = 7;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const bool anew = all.get().count == 0;
        all.get().count = 3;
        ::_exit(anew && all.get().count == 3 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(all.get().count, 7);
}

}  // namespace
}  // namespace turnstile::base
