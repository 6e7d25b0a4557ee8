// SPDX-License-Identifier: Apache-2.0
// Tests the keeper (the child of `turnstile run` that starts and kills the command) during exec(). The test acts as
// `run`. The test also holds a file lease on the program, so exec() waits, as for a file server that does not answer.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <fstream>
#include <optional>

#include "cli/keeper.hpp"
#include "cli/keeper_orders.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::cli::under_way {
namespace {

bool is_readable_in_time(int descriptor) {
    pollfd wish{descriptor, POLLIN, 0};
    return ::poll(&wish, 1, static_cast<int>(testing::limit().count())) == 1;
}

class held_program {
public:
    explicit held_program(const std::string& path) {
        std::ofstream{path} << "#!/bin/sh\n";
        ::chmod(path.c_str(), 0700);
        file_ = support::descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
        ::sigemptyset(&told_);
        ::sigaddset(&told_, SIGIO);
        ::pthread_sigmask(SIG_BLOCK, &told_, &before_);
        held_ = ::fcntl(file_.get(), F_SETLEASE, F_WRLCK) == 0;
    }
    ~held_program() {
        ::fcntl(file_.get(), F_SETLEASE, F_UNLCK);
        const timespec at_once{};
        while (::sigtimedwait(&told_, nullptr, &at_once) > 0) {
        }
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    held_program(const held_program&) = delete;
    held_program& operator=(const held_program&) = delete;

    [[nodiscard]] bool held() const noexcept { return held_; }
    [[nodiscard]] bool is_wanted() const {
        const timespec longest{
            std::chrono::duration_cast<std::chrono::seconds>(testing::limit()).count(), 0};
        return ::sigtimedwait(&told_, nullptr, &longest) == SIGIO;
    }

private:
    support::descriptor file_;
    sigset_t told_{};
    sigset_t before_{};
    bool held_ = false;
};

class keeper_exec : public ::testing::Test {
protected:
    void SetUp() override {
        if (!program.held()) GTEST_SKIP() << "this file system has no leases";
    }
    void TearDown() override {
        if (keeper) end_keeper(std::move(*keeper));
    }
    // Returns when the process that will call exec() exists.
    void start(const std::string& command) {
        keeper = start_keeper({.command = {command}}, guard);
        const auto until = boottime_clock::now() + std::chrono::hours{1};
        order(keeper_order::start, until.time_since_epoch().count());
        expect_report(keeper_report::started);
    }
    void start_held() {
        start(path);
        ASSERT_TRUE(program.is_wanted());
    }
    void order(keeper_order kind, std::int64_t value) const {
        const order_packet packet{kind, value};
        ASSERT_EQ(::send(keeper->socket.get(), &packet, sizeof packet, MSG_NOSIGNAL),
                  static_cast<ssize_t>(sizeof packet));
    }
    report_packet expect_report(keeper_report kind) const {
        report_packet packet;
        EXPECT_TRUE(is_readable_in_time(keeper->socket.get())) << "no report";
        EXPECT_EQ(::recv(keeper->socket.get(), &packet, sizeof packet, MSG_DONTWAIT),
                  static_cast<ssize_t>(sizeof packet));
        EXPECT_EQ(packet.report, kind);
        return packet;
    }

    const testing::temporary_folder folder;
    const std::string path = (folder.path() / "program").string();
    const held_program program{path};
    process_guard guard{guard_choice::automatic};
    std::optional<keeper_link> keeper;
};

TEST_F(keeper_exec, ends_with_the_hold) {
    start_held();
    order(keeper_order::hold_over, 0);
    const auto end = expect_report(keeper_report::ended);
    EXPECT_TRUE(end.intervened);
    EXPECT_EQ(end.value, SIGKILL);
}

TEST_F(keeper_exec, ends_by_a_signal) {
    start_held();
    order(keeper_order::forward, SIGTERM);
    const auto end = expect_report(keeper_report::ended);
    EXPECT_FALSE(end.intervened);
    EXPECT_EQ(end.value, SIGTERM);
}

TEST_F(keeper_exec, ends_with_run) {
    start_held();
    const support::descriptor process{static_cast<int>(::syscall(SYS_pidfd_open, keeper->pid, 0))};
    ASSERT_TRUE(process.open());
    keeper->socket.reset();
    keeper->guardian.reset();
    EXPECT_TRUE(is_readable_in_time(process.get())) << "the keeper goes on";
}

TEST_F(keeper_exec, that_fails_says_why) {
    start("/nonexistent/program");
    EXPECT_EQ(expect_report(keeper_report::not_started).value, ENOENT);
}

}  // namespace
}  // namespace turnstile::cli::under_way
