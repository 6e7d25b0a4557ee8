// SPDX-License-Identifier: Apache-2.0
#include "base/out_of_memory.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

namespace turnstile::base {
namespace {

[[noreturn]] void fail() {
    finish_or_end("a test", []() -> void { throw std::bad_alloc{}; });
    ::_exit(0);
}

TEST(out_of_memory_test, ends_the_process_with_one_sentence) {
    EXPECT_EXIT(fail(), ::testing::KilledBySignal(SIGABRT),
                "^turnstile: out of memory in a test: the process ends[^\n]*\n$");
}

TEST(out_of_memory_test, lets_results_and_other_exceptions_pass) {
    EXPECT_EQ(finish_or_end("a test", [] { return 7; }), 7);
    EXPECT_THROW(finish_or_end("a test", [] { throw std::logic_error{"another"}; }),
                 std::logic_error);
}

// If the process waited until its message is read, its sessions would stay open at the servers.
TEST(out_of_memory_test, waits_for_no_reader) {
    const auto fail_into_full_pipe = [] {
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) != 0) ::_exit(1);
        ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
        const std::array<char, 4096> page{};
        while (::write(ends[1], page.data(), page.size()) > 0) {
        }
        ::fcntl(ends[1], F_SETFL, 0);
        ::dup2(ends[1], STDERR_FILENO);
        // Ends a hanging process by SIGALRM, a signal that the test does not expect.
        ::alarm(60);
        fail();
    };
    EXPECT_EXIT(fail_into_full_pipe(), ::testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace turnstile::base
