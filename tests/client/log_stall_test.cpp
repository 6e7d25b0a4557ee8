// SPDX-License-Identifier: Apache-2.0
// Tests that a blocked log blocks nothing else. Standard error is a full pipe that no one reads.
#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "base/log.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

// Replaces standard error by a full pipe during its lifetime.
class full_standard_error {
public:
    full_standard_error() : before_{::dup(STDERR_FILENO)} {
        EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK), 0);
        const std::array<char, 512> some{};
        while (::write(ends_[1], some.data(), some.size()) > 0) {
        }
        ::fcntl(ends_[1], F_SETFL, 0);  // the next write into the pipe blocks
        ::dup2(ends_[1], STDERR_FILENO);
    }
    ~full_standard_error() {
        ::dup2(before_, STDERR_FILENO);
        // Reads everything, so that every blocked write continues.
        std::array<char, 65536> read{};
        EXPECT_TRUE(eventually([&] {
            while (::read(ends_[0], read.data(), read.size()) > 0) {
            }
            return flush_log(std::chrono::milliseconds{1});
        }));
        for (const int descriptor : {before_, ends_[0], ends_[1]}) ::close(descriptor);
    }
    full_standard_error(const full_standard_error&) = delete;
    full_standard_error& operator=(const full_standard_error&) = delete;

private:
    const int before_;
    std::array<int, 2> ends_{-1, -1};
};

class stalled_log : public shell_test {
protected:
    void SetUp() override { set_log_level(log_level::info); }
    void TearDown() override { set_log_level(log_level::warning); }
};

TEST_F(stalled_log, a_loss_is_told_while_standard_error_is_full) {
    const auto servers = connect();
    mutex lock{*servers, "/lock"};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    event told;
    const std::stop_callback on_lost{hold.lost(), [&] { told.set(); }};
    const full_standard_error full;
    log::write(log_level::error, "the sink waits for room");
    faults.expire(servers->session().id);
    EXPECT_TRUE(told.wait());
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value()) << "in the next session";
    servers->close();
    EXPECT_FALSE(flush_log(std::chrono::milliseconds{0})) << "and the sink still waits";
}

}  // namespace
}  // namespace turnstile::tests
