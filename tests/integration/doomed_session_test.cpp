// SPDX-License-Identifier: Apache-2.0
// Tests a doomed session: the server has selected it for expiry, and still answers it until it is closed
// (docs/why/lease.md). One loop of the server closes all sessions that expire in the same tick. The test stalls the
// server's log, so this loop blocks at the first session, and the other sessions are doomed.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <future>
#include <memory>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

#include "session_recorder.hpp"
#include "support.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

constexpr auto k_timeout = 4s;
// Number of sessions besides the victim's session. Some of them expire in the same tick as that session, and the server
// may close them first.
constexpr std::size_t k_others = 60;

// Reads a server's log through a pipe. The test can stop the reading.
class log_pipe {
public:
    explicit log_pipe(const std::filesystem::path& at) {
        if (::mkfifo(at.c_str(), S_IRUSR | S_IWUSR) != 0)
            throw std::system_error{errno, std::generic_category(), "mkfifo"};
        pipe_ = ::open(at.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
        if (pipe_ < 0) throw std::system_error{errno, std::generic_category(), "open"};
        (void)::fcntl(pipe_, F_SETPIPE_SZ, 4096);
        reader_ = std::jthread{[this](const std::stop_token& end) { drain(end); }};
    }
    ~log_pipe() {
        reader_ = {};
        ::close(pipe_);
    }
    log_pipe(const log_pipe&) = delete;
    log_pipe& operator=(const log_pipe&) = delete;

    // Fills the pipe, so that the next server thread that logs a line blocks until flow().
    void stall() {
        const std::lock_guard held{reading_};
        stalled_ = true;
        while (::write(pipe_, "x", 1) == 1) {
        }
    }
    void flow() {
        const std::lock_guard held{reading_};
        stalled_ = false;
    }

private:
    void drain(const std::stop_token& end) {
        constexpr int k_look_milliseconds = 5;
        std::array<char, 4096> some{};
        while (!end.stop_requested()) {
            pollfd ready{pipe_, POLLIN, 0};
            (void)::poll(&ready, 1, k_look_milliseconds);
            const std::lock_guard held{reading_};
            if (!stalled_) (void)!::read(pipe_, some.data(), some.size());
        }
    }

    int pipe_ = -1;
    std::mutex reading_;
    bool stalled_ = false;
    std::jthread reader_;
};

// The server keeps sets of sessions by their time of expiry. `expires` looks in the first set, or in all sets.
enum class sets { next, all };
bool expires(const testing::ensemble& servers, std::int64_t session, sets which) {
    const auto name = (std::ostringstream{} << "0x" << std::hex << session).str();
    std::istringstream lines{servers.four_letter_word(0, "dump")};
    bool begun = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.find("ephemeral") != std::string::npos) return false;
        if (line.find("expire at") != std::string::npos) {
            if (begun && which == sets::next) return false;
        } else if (line.starts_with('\t')) {
            begun = true;
            if (line.find(name) != std::string::npos) return true;
        }
    }
    return false;
}

// Returns true if the server closes no session now. The server's loop removes a set of sessions from its list, and then
// closes these sessions. The line "Sets (2)/(7):" counts the listed sets and the open sessions.
bool closes_none(const testing::ensemble& servers) {
    std::istringstream lines{servers.four_letter_word(0, "dump")};
    long open = -1;
    long listed = 0;
    for (std::string line;
         std::getline(lines, line) && line.find("ephemeral") == std::string::npos;) {
        if (const auto numbers = line.find(")/("); numbers != std::string::npos)
            open = std::stol(line.substr(numbers + 3));
        if (line.starts_with('\t')) ++listed;
    }
    return open == listed;
}

testing::ensemble_options logging_into(const std::filesystem::path& pipe) {
    testing::ensemble_options options;
    options.tick_time = 1s;
    const std::string logger = "org.slf4j.simpleLogger.";
    options.system_properties = {
        {logger + "logFile", pipe.string()},
        {logger + "defaultLogLevel", "off"},
        {logger + "log.org.apache.zookeeper.server.ZooKeeperServer", "info"}};
    return options;
}

class doomed_session : public ::testing::Test {
protected:
    static client_options options(std::chrono::milliseconds timeout) {
        auto result = quick_options(timeout);
        result.lease.tick = 1s;
        return result;
    }

    const std::string path = lock_path();
    testing::temporary_folder folder;
    log_pipe log{folder.path() / "log"};
    testing::ensemble servers{logging_into(folder.path() / "log")};
    testing::tcp_proxy proxy{servers.connect_string(0)};
};

// Promise G1: two clients must never hold the lock at once. The first waiter's client receives nothing for its session
// timeout. Then the servers answer the client again, although they are about to close its session.
TEST_F(doomed_session, of_a_first_waiter_is_granted_nothing) {
    const auto others_client = connect(servers.connect_string(), options(20s));
    const auto victims_client = connect(proxy.address(), options(k_timeout));
    core::session_settings short_lived = recorder_settings();
    short_lived.timeout = k_timeout;
    std::vector<std::unique_ptr<session_recorder>> others;
    for (std::size_t i = 0; i != k_others; ++i) {
        others.push_back(std::make_unique<session_recorder>(proxy.address(), short_lived));
        (void)others.back()->attached();
    }
    mutex theirs{*others_client, path};
    mutex victims{*victims_client, path};
    auto first = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(first);
    auto second =
        std::async(std::launch::async, [&] { return victims.acquire({.timeout = limit()}); });
    ASSERT_TRUE(becomes_size(*others_client, path, 2));
    auto third =
        std::async(std::launch::async, [&] { return theirs.acquire({.timeout = limit()}); });
    ASSERT_TRUE(becomes_size(*others_client, path, 3));
    const auto before = victims_client->session();

    proxy.black_hole();
    // The test must not stall the log before the server has closed the previous set of sessions. Otherwise the server's
    // loop could block in that set.
    ASSERT_TRUE(eventually(
        [&] { return expires(servers, before.id, sets::next) && closes_none(servers); }));
    log.stall();
    ASSERT_TRUE(eventually([&] { return !expires(servers, before.id, sets::all); }));
    first->unlock();
    proxy.pass();
    // Either the waiter has a grant in its old session, which is the fault, or it gets a new session. With a new
    // session it queues behind the third contender.
    ASSERT_TRUE(eventually([&] {
        return second.wait_for(0s) == std::future_status::ready ||
               victims_client->session().epoch > before.epoch;
    }));
    log.flow();

    if (second.wait_for(0s) == std::future_status::ready) {
        const auto wrong = second.get();
        ASSERT_TRUE(wrong) << wrong.error().message();
        auto granted = third.get();
        ASSERT_TRUE(granted) << granted.error().message();
        EXPECT_FALSE(wrong->valid() && granted->valid()) << "two valid holds";
        FAIL() << "a doomed session was granted";
    }
    auto granted = third.get();
    ASSERT_TRUE(granted) << granted.error().message();
    granted->unlock();
    const auto last = second.get();
    ASSERT_TRUE(last) << last.error().message();
    EXPECT_NE(victims_client->session().id, before.id);
}

}  // namespace
}  // namespace turnstile::tests
