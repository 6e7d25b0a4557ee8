// SPDX-License-Identifier: Apache-2.0
// Tests the signal masks of the library's threads. User code has the mask of the thread that created the client, and no
// thread blocks the signals of faults.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>

#include "support.hpp"

namespace turnstile::tests {
namespace {

bool blocked_here(int signal) {
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return ::sigismember(&mask, signal) == 1;
}

// Returns true if this thread has the program's mask, which blocks SIGUSR1 and not SIGTERM.
bool is_the_programs() {
    return blocked_here(SIGUSR1) && !blocked_here(SIGTERM) && !blocked_here(SIGSEGV);
}

class signals : public shell_test {
protected:
    void SetUp() override { change(SIG_BLOCK); }
    void TearDown() override {
        set_log_sink({});
        change(SIG_UNBLOCK);
    }

private:
    static void change(int how) {
        sigset_t blocked;
        ::sigemptyset(&blocked);
        ::sigaddset(&blocked, SIGUSR1);
        ::pthread_sigmask(how, &blocked, nullptr);
    }
};

TEST_F(signals, user_code_has_the_mask_of_the_thread_that_made_the_client) {
    // Each entry is written by a single thread, before the entry's event is set.
    std::map<std::string, bool> right;
    event told;
    const auto servers = connect();
    set_log_sink([&](log_level, std::string_view) { right["the log's sink"] = is_the_programs(); });
    mutex lock{*servers, "/lock"};
    auto hold = lock.acquire({.timeout = limit()}).value();
    mutex other{*servers, "/other"};
    auto second = other.acquire({.timeout = limit()}).value();
    bool in_a_stop_callback = false;
    bool in_a_further_one = false;
    bool in_a_handler = false;
    event go;
    const std::stop_callback blocks{hold.lost(), [&] {
                                        in_a_stop_callback = is_the_programs();
                                        EXPECT_TRUE(go.wait());
                                        told.set();
                                    }};
    const std::stop_callback other_thread{second.lost(), [&] {
                                              in_a_further_one = is_the_programs();
                                              go.set();
                                              told.set();
                                          }};
    faults.expire(servers->session().id);  // this also logs a line
    ASSERT_TRUE(told.wait(2));
    lock.async_acquire({}, [&](const result<guard>&) {
        in_a_handler = is_the_programs();
        told.set();
    });
    ASSERT_TRUE(told.wait(3));
    ASSERT_TRUE(flush_log(limit()));
    EXPECT_TRUE(in_a_stop_callback);
    EXPECT_TRUE(in_a_further_one);
    EXPECT_TRUE(in_a_handler);
    EXPECT_TRUE(right.at("the log's sink"));
}

TEST_F(signals, an_executor_is_called_with_it) {
    std::atomic<bool> right{false};
    event told;
    const auto servers = connect({.callbacks = [&](const std::function<void()>& task) {
        right = is_the_programs();
        task();
    }});
    mutex lock{*servers, "/lock"};
    lock.async_acquire({}, [&](const result<guard>&) { told.set(); });
    ASSERT_TRUE(told.wait());
    EXPECT_TRUE(right);
}

TEST_F(signals, a_child_that_a_callback_starts_ends_by_sigterm) {
    const auto servers = connect();
    mutex lock{*servers, "/lock"};
    event started;
    pid_t child = -1;
    lock.async_acquire({}, [&](const result<guard>&) {
        std::array<std::string, 2> words{"sleep", "1000"};
        std::array<char*, 3> arguments{words[0].data(), words[1].data(), nullptr};
        if (::posix_spawnp(&child, "sleep", nullptr, nullptr, arguments.data(), environ) != 0)
            child = -1;
        started.set();
    });
    ASSERT_TRUE(started.wait());
    ASSERT_GT(child, 0);
    ::kill(child, SIGTERM);
    int status = 0;
    const bool ended = eventually([&] { return ::waitpid(child, &status, WNOHANG) == child; });
    EXPECT_TRUE(ended && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    if (ended) return;
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
}

// Returns the blocked signals of each thread, as the kernel lists them.
std::vector<unsigned long long> masks() {
    std::vector<unsigned long long> found;
    for (const auto& thread : std::filesystem::directory_iterator{"/proc/self/task"}) {
        std::ifstream status{thread.path() / "status"};
        for (std::string line; std::getline(status, line);)
            if (line.starts_with("SigBlk:"))
                found.push_back(std::stoull(line.substr(7), nullptr, 16));
    }
    return found;
}

TEST_F(signals, no_thread_blocks_those_of_a_fault_and_the_c_clients_block_the_others) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer has a thread of its own, which blocks everything";
#endif
    const auto bit = [](int signal) { return 1ULL << static_cast<unsigned>(signal - 1); };
    const auto in_memory = connect();
    // No server listens at this address, but the client has threads.
    const client of_servers{"127.0.0.1:1"};
    unsigned long long faults_of_code = 0;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
        faults_of_code |= bit(signal);
    // The C library blocks all signals in a thread that is starting.
    EXPECT_TRUE(eventually([&] {
        const auto all = masks();
        const auto with = [&](auto some) {
            return std::count_if(all.begin(), all.end(),
                                 [&](auto mask) { return (mask & some) != 0; });
        };
        return with(faults_of_code) == 0 && with(bit(SIGTERM)) >= 3;
    })) << "the timer's, and two of the C client, block SIGTERM";
}

void end_with_7(int) {
    ::_exit(7);
}

// Runs in a child, whose stop callback causes a fault.
[[noreturn]] void fault_in_a_stop_callback(const std::string& where, local::faults& faults) {
    struct sigaction handler {};
    handler.sa_handler = end_with_7;
    ::sigaction(SIGSEGV, &handler, nullptr);
    client servers{where};
    mutex lock{servers, "/lock"};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    event told;
    const std::stop_callback on_lost{hold.lost(), [&] {
                                         ::raise(SIGSEGV);
                                         told.set();
                                     }};
    faults.expire(servers.session().id);
    static_cast<void>(told.wait());
    ::_exit(1);
}

TEST_F(signals, a_handler_for_a_fault_in_user_code_runs) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(fault_in_a_stop_callback(where, faults), ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace turnstile::tests
