// SPDX-License-Identifier: Apache-2.0
#include "cli/wait_watch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <string>

#include "cli/forwarded_signals.hpp"
#include "turnstile/client.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::cli {
namespace {

// True if an eventfd of this process has an event that no thread has read.
bool has_unread_event() {
    for (const auto& each : std::filesystem::directory_iterator{"/proc/self/fdinfo"}) {
        std::ifstream lines{each.path()};
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with("eventfd-count:") &&
                line.find_first_of("123456789abcdef", 14) != std::string::npos)
                return true;
    }
    return false;
}

// The signal and the grant arrive while wait_watch's thread runs the callback that shows the position, so the thread
// notices no signal. After the grant the test calls finish(), as `turnstile run` does. The event by which finish()
// wakes the thread stays unread. finish() must return the signal.
TEST(wait_watch, a_signal_that_arrives_together_with_the_grant_counts) {
    const forwarded_signals signals;
    client servers{"local:"};
    std::latch shows{1};
    std::promise<void> shown;
    wait_watch waiting{servers, signals, [&](std::size_t /*ahead*/) {
                           shows.count_down();
                           shown.get_future().wait();
                       }};
    waiting.note_place(1);
    shows.wait();
    ASSERT_FALSE(has_unread_event());
    ::kill(::getpid(), SIGTERM);
    auto signal = std::async(std::launch::async, [&] { return waiting.finish(); });
    EXPECT_TRUE(turnstile::testing::eventually(has_unread_event));
    shown.set_value();
    EXPECT_EQ(signal.get(), SIGTERM);
    ::pthread_sigmask(SIG_SETMASK, &signals.mask_before(), nullptr);
}

}  // namespace
}  // namespace turnstile::cli
