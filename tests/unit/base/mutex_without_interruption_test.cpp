// SPDX-License-Identifier: Apache-2.0
// Tests base/mutex.hpp as a build with TURNSTILE_INTERRUPTION=OFF compiles it.
#include <gtest/gtest.h>

#include <boost/thread/thread.hpp>

#include "base/interruption.hpp"
#include "base/mutex.hpp"

namespace turnstile::base {
namespace {

// Interrupts a waiting thread, and then notifies it. The interruption must have no effect. The thread calls `wait`
// until it is notified.
template <class Wait>
void expect_end_by_notification(Wait wait) {
    mutex m;
    condition_variable changed;
    bool waits = false;
    bool notified = false;
    bool interrupted = false;
    bool pending = false;
    boost::thread waiter{[&] {
        unique_lock lock{m};
        waits = true;
        changed.notify_all();
        try {
            while (!notified) wait(changed, lock);
        } catch (const boost::thread_interrupted&) {
            interrupted = true;
        }
        pending = boost::this_thread::interruption_requested();
        EXPECT_FALSE(interruption_requested());
    }};
    {
        unique_lock lock{m};
        while (!waits) changed.wait(lock);
        waiter.interrupt();
        notified = true;
        changed.notify_all();
    }
    waiter.join();
    EXPECT_FALSE(interrupted);
    EXPECT_TRUE(pending);
}

TEST(mutex_without_interruption, wait_ends_by_notification_alone) {
    expect_end_by_notification(
        [](condition_variable& changed, unique_lock& lock) { changed.wait(lock); });
}

TEST(mutex_without_interruption, wait_until_ends_by_notification_alone) {
    expect_end_by_notification([](condition_variable& changed, unique_lock& lock) {
        EXPECT_TRUE(changed.wait_until(lock, boottime_clock::time_point::max()));
    });
}

TEST(mutex_without_interruption, a_deadline_that_has_passed_is_over) {
    mutex m;
    condition_variable changed;
    unique_lock lock{m};
    EXPECT_FALSE(changed.wait_until(lock, boottime_clock::time_point::min()));
    EXPECT_FALSE(changed.wait_until(lock, boottime_clock::now()));
}

}  // namespace
}  // namespace turnstile::base
