// SPDX-License-Identifier: Apache-2.0
// Tests fork() while another thread logs. The child must be able to log, and must not wait for a lock that only a
// thread of the parent can release.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "base/log.hpp"
#include "turnstile/testing/event.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile {
namespace {

using testing::eventually;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool k_allocator_locks_stay = true;
#else
constexpr bool k_allocator_locks_stay = false;
#endif

// ThreadSanitizer ends a child that starts a thread, if the parent had several threads at fork().
#if defined(__SANITIZE_THREAD__)
constexpr bool k_children_have_threads = false;
#else
constexpr bool k_children_have_threads = true;
#endif

// Redirects standard error to /dev/null for the lifetime of the object.
class silent_standard_error {
public:
    silent_standard_error() : before_{::dup(STDERR_FILENO)} {
        const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        ::dup2(nowhere, STDERR_FILENO);
        ::close(nowhere);
    }
    ~silent_standard_error() {
        ::dup2(before_, STDERR_FILENO);
        ::close(before_);
    }
    silent_standard_error(const silent_standard_error&) = delete;
    silent_standard_error& operator=(const silent_standard_error&) = delete;

private:
    const int before_;
};

// Fills the pipe, so that the next write to it waits for a reader.
void fill(int writer) {
    const std::array<char, 4096> block{};
    ::fcntl(writer, F_SETFL, O_NONBLOCK);
    for (const auto size : {block.size(), std::size_t{1}})
        while (::write(writer, block.data(), size) > 0) {
        }
    ::fcntl(writer, F_SETFL, 0);
}

bool ends_well(pid_t child) {
    int status = -1;
    const bool ended = eventually([&] { return ::waitpid(child, &status, WNOHANG) == child; });
    if (!ended) {
        ::kill(child, SIGKILL);
        ::waitpid(child, &status, 0);
    }
    return ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// In GCC 12, AddressSanitizer's allocator has locks that fork() copies in their current state. If the other thread
// holds one of them, the child's first `new` never returns.
TEST(log_fork, a_child_that_is_forked_while_another_thread_logs_logs_too) {
    if (k_allocator_locks_stay)
        GTEST_SKIP() << "AddressSanitizer's allocator cannot be used in a child that was forked "
                        "beside other threads";
    const silent_standard_error silent;
    std::atomic<bool> enough{false};
    testing::event begun;
    std::thread writer{[&] {
        while (!enough) {
            log::write(log_level::error, "the parent");
            begun.set();
        }
    }};
    ASSERT_TRUE(begun.wait());
    int hung = 0;
    for (int i = 0; i != 20; ++i) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            if (!k_children_have_threads) ::_exit(0);
            log::write(log_level::error, "the child");
            ::_exit(flush_log(testing::limit()) ? 0 : 1);
        }
        if (!ends_well(child)) ++hung;
    }
    enough = true;
    writer.join();
    EXPECT_EQ(hung, 0);
    EXPECT_TRUE(flush_log(testing::limit()));
}

// fork() may copy the C library's lock on the time zone while another thread holds that lock. With AddressSanitizer,
// half of the children hang in their first `new`, so the test is skipped.
TEST(log_fork, a_child_logs_although_another_thread_was_converting_times) {
    if (k_allocator_locks_stay)
        GTEST_SKIP() << "AddressSanitizer's allocator cannot be used in a child that was forked "
                        "beside other threads";
    if (!k_children_have_threads)
        GTEST_SKIP() << "ThreadSanitizer allows no threads in the child of a program with threads";
    const silent_standard_error silent;
    log::write(log_level::error, "the parent");
    ASSERT_TRUE(flush_log(testing::limit()));
    std::atomic<bool> enough{false};
    testing::event begun;
    std::thread converter{[&] {
        std::tm local{};
        for (const std::time_t now = std::time(nullptr); !enough; ::localtime_r(&now, &local)) {
            ::tzset();
            begun.set();
        }
    }};
    EXPECT_TRUE(begun.wait());
    bool all_well = true;
    for (int i = 0; i != 20 && all_well; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            log::write(log_level::error, "the child");
            ::_exit(flush_log(testing::limit()) ? 0 : 1);
        }
        all_well = child > 0 && ends_well(child);
    }
    enough = true;
    converter.join();
    EXPECT_TRUE(all_well);
}

// The log's thread waits for a reader of standard error. exit() flushes the standard streams, and must not wait for
// this thread.
TEST(log_fork, a_child_exits_although_nobody_reads_its_standard_error) {
    if (!k_children_have_threads || k_allocator_locks_stay)
        GTEST_SKIP() << "the sanitizer allows no such child";
    set_log_sink({});
    ASSERT_TRUE(flush_log(testing::limit()));
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    fill(ends[1]);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::dup2(ends[1], STDERR_FILENO);
        log::write(log_level::error, "to nobody");
        std::exit(0);
    }
    EXPECT_TRUE(ends_well(child));
    for (const int end : ends) ::close(end);
}

TEST(log_fork, a_child_leaves_what_waited_to_its_parent) {
    if (!k_children_have_threads)
        GTEST_SKIP() << "ThreadSanitizer allows no threads in the child of a program with threads";
    testing::event entered;
    testing::event leave;
    std::atomic<int> lines{0};
    set_log_sink([&, mine = ::getpid()](log_level, std::string_view) {
        ++lines;
        if (::getpid() != mine) return;
        entered.set();
        EXPECT_TRUE(leave.wait());
    });
    log::write(log_level::error, "one");
    ASSERT_TRUE(entered.wait());
    log::write(log_level::error, "two");
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        lines = 0;
        log::write(log_level::error, "the child's");
        ::_exit(flush_log(testing::limit()) && lines == 1 ? 0 : 1);
    }
    EXPECT_TRUE(ends_well(child));
    leave.set();
    set_log_sink({});
    EXPECT_EQ(lines, 2);
}

}  // namespace
}  // namespace turnstile
