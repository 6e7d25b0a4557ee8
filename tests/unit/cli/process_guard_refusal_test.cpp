// SPDX-License-Identifier: Apache-2.0
// Tests process_guard on a system that refuses prctl(PR_SET_CHILD_SUBREAPER), as emulators and sandboxes do.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>

#include "cli/process_guard.hpp"

namespace turnstile::cli {
namespace {

// Makes prctl(PR_SET_CHILD_SUBREAPER) fail in this process.
void refuse_orphans() {
    std::array filter{
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_CHILD_SUBREAPER, 0, 1),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

[[noreturn]] void start_guard() {
    refuse_orphans();
    try {
        const process_guard guard{guard_choice::automatic};
    } catch (const no_guard& why) {
        std::fputs(why.what(), stderr);
        ::_exit(0);
    }
    ::_exit(1);
}

TEST(process_guard_refusal, names_the_call_that_failed) {
    EXPECT_EXIT(start_guard(), ::testing::ExitedWithCode(0),
                "could not find and kill the processes that the command starts: "
                "prctl\\(PR_SET_CHILD_SUBREAPER\\): Operation not permitted");
}

}  // namespace
}  // namespace turnstile::cli
