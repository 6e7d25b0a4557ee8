// SPDX-License-Identifier: Apache-2.0
// Tests a stop signal at the moment of the grant: no command may start.
//
// The thread that handles signals also writes progress to the terminal. A stopped terminal (Ctrl-S) blocks that write,
// and so delays the signal. The test continues the terminal when `run` has the grant.
#include <fcntl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <sstream>

#include "cli_fixture.hpp"
#include "turnstile/mutex.hpp"

namespace turnstile::tests {
namespace {

// A terminal that the test can stop and continue.
class stoppable_terminal {
public:
    stoppable_terminal() : master_{::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)} {
        ::grantpt(master_);
        ::unlockpt(master_);
        name_ = ::ptsname(master_);
        slave_ = ::open(name_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    }
    ~stoppable_terminal() {
        ::close(slave_);
        ::close(master_);
    }
    stoppable_terminal(const stoppable_terminal&) = delete;
    stoppable_terminal& operator=(const stoppable_terminal&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    void stop() const { ASSERT_EQ(::tcflow(slave_, TCOOFF), 0); }
    void go_on() const { ASSERT_EQ(::tcflow(slave_, TCOON), 0); }
    // Returns the terminal's output since the last call.
    [[nodiscard]] std::string said() const {
        ::fcntl(master_, F_SETFL, O_NONBLOCK);
        std::string text(4096, '\0');
        const auto size = ::read(master_, text.data(), text.size());
        text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        return text;
    }

private:
    int master_;
    int slave_ = -1;
    std::string name_;
};

// Returns each thread's current system call with its first argument, as in "1 0x2".
words calls_of(pid_t process) {
    words calls;
    const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
    for (const auto& task : std::filesystem::directory_iterator{tasks}) {
        std::istringstream text{text_of_file(task.path() / "syscall")};
        std::string number;
        std::string argument;
        if (text >> number >> argument) calls.push_back(number + " " + argument);
    }
    return calls;
}

bool is_in_call(pid_t process, const std::string& call) {
    const auto calls = calls_of(process);
    return std::find(calls.begin(), calls.end(), call) != calls.end();
}

// Returns the process's eventfds with an unread event. An eventfd keeps its count while the thread that reads it is
// blocked.
words untaken_events(pid_t process) {
    words found;
    const std::filesystem::path all = "/proc/" + std::to_string(process) + "/fdinfo";
    for (const auto& each : std::filesystem::directory_iterator{all}) {
        std::istringstream lines{text_of_file(each.path())};
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with("eventfd-count:") &&
                line.find_first_of("123456789abcdef", 14) != std::string::npos)
                found.push_back(each.path().filename());
    }
    return found;
}

class cli_stop : public cli {};

// If only the log's thread left a signal unblocked, the kernel would give that thread the signal.
TEST_F(cli_stop, a_line_of_the_log_leaves_signals_to_the_program) {
    auto page = start_at("127.0.0.1:1", {TURNSTILE_PROGRAM, "serve", "--listen", "127.0.0.1:0"});
    ASSERT_TRUE(page.wait_for_output("no session with")) << output();
    ::kill(page.pid(), SIGTERM);
    ASSERT_TRUE(page.wait());
    EXPECT_EQ(page.exit_code(), 0) << output();
}

TEST_F(cli_stop, a_stop_in_the_instant_of_the_grant) {
    const stoppable_terminal terminal;
    mutex lock{*observer, path};
    auto hold = lock.acquire({.timeout = limit()}).value();
    terminal.stop();
    const auto command = run({"--session-timeout", k_long_session, "--on-lost", "none", path},
                             {"/nonexistent/program"});
    std::string line;
    for (const auto& word : command) line += word + " ";
    auto waiting = start({"sh", "-c", "exec " + line + " 2>" + terminal.name()});
    const auto write_to_terminal = std::to_string(SYS_write) + " 0x2";
    if (!eventually([&] { return is_in_call(waiting.pid(), write_to_terminal); })) {
        terminal.go_on();
        if (calls_of(waiting.pid()).empty()) GTEST_SKIP() << "system calls cannot be seen here";
        FAIL() << "no progress is shown";
    }
    ASSERT_TRUE(untaken_events(waiting.pid()).empty());
    ::kill(waiting.pid(), SIGTERM);
    ASSERT_TRUE(hold.release(limit()));
    // The grant has arrived, so the waiting thread asks the signal thread to stop. The signal thread is blocked and
    // does not notice.
    words before;
    ASSERT_TRUE(eventually([&] {
        auto now = untaken_events(waiting.pid());
        const bool stays = !now.empty() && now == before;
        before = std::move(now);
        return stays;
    }));
    terminal.go_on();
    ASSERT_TRUE(waiting.wait());
    // The command cannot be executed. So a message would show that `run` tried to start it.
    EXPECT_EQ(waiting.exit_code(), 128 + SIGTERM);
    const auto said = terminal.said();
    EXPECT_NE(said.find("waiting, "), std::string::npos) << said;
    EXPECT_EQ(said.find("No such file"), std::string::npos) << said;
    EXPECT_TRUE(nothing_is_left());
}

}  // namespace
}  // namespace turnstile::tests
