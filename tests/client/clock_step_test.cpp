// SPDX-License-Identifier: Apache-2.0
// Tests what a client does when a program sets the wall clock forward, as on a virtual machine whose clocks had
// stopped. The test sets the wall clock, and stops no clock.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "support.hpp"

namespace {

std::atomic<long> steps{0};  // seconds

}  // namespace

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t which,
                                                                    timespec* now) {
    const auto failed = static_cast<int>(::syscall(SYS_clock_gettime, which, now));
    if (which == CLOCK_REALTIME) now->tv_sec += steps;
    return failed;
}

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class clock_steps : public shell_test {
protected:
    void TearDown() override { steps = 0; }
};

TEST_F(clock_steps, ahead_end_holds_at_the_next_answer) {
    const auto servers = connect();
    mutex lock{*servers, "/lock"};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    event told;
    const std::stop_callback on_lost{hold.lost(), [&] { told.set(); }};
    steps = 3600;
    static_cast<void>(
        // The answer to this request makes the client check its clocks. The answer to a request that extends the lease,
        // or the kernel's notice that the wall clock was set, has the same effect.
        lock.queue());
    ASSERT_TRUE(told.wait());
    EXPECT_FALSE(hold.valid());
    EXPECT_EQ(hold.status().error(), errc::session_lost);
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value()) << "in the next session";
}

TEST_F(clock_steps, back_end_nothing) {
    const auto servers = connect();
    mutex lock{*servers, "/lock"};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    steps = -3600;
    EXPECT_EQ(lock.queue().value().size(), 1U);
    EXPECT_TRUE(hold.valid());
}

TEST_F(clock_steps, are_not_looked_at_unless_wanted) {
    const auto servers = connect({.lease = {.detect_clock_steps = false}});
    mutex lock{*servers, "/lock"};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    steps = 3600;
    EXPECT_EQ(lock.queue().value().size(), 1U);
    EXPECT_TRUE(hold.valid());
}

}  // namespace
}  // namespace turnstile::tests
