// SPDX-License-Identifier: Apache-2.0
#include "support/secrets.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <iterator>

namespace turnstile::support {
namespace {

// Runs `check` in a child, because the tested functions change their process permanently.
template <class F>
bool holds_in_a_child(F&& check) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(check() ? 0 : 1);
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(secrets, are_in_no_core_file) {
    EXPECT_TRUE(holds_in_a_child([] {
        const rlimit before = forbid_core_files();
        rlimit now{};
        ::getrlimit(RLIMIT_CORE, &now);
        return now.rlim_cur == 0 && now.rlim_max == before.rlim_max &&
               ::prctl(PR_GET_DUMPABLE) == 0;
    }));
}

// Sanitizers replace mlock() by a function without effect.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(secrets, are_in_memory_that_is_not_swapped) {
    EXPECT_TRUE(holds_in_a_child([] {
        lock_memory();
        std::ifstream status{"/proc/self/status"};
        const std::string text{std::istreambuf_iterator<char>{status}, {}};
        const auto line = text.find("VmLck:");
        return line != std::string::npos && std::stoul(text.substr(line + 6)) > 0;
    }));
}
#endif

}  // namespace
}  // namespace turnstile::support
