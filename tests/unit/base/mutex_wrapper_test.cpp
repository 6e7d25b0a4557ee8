// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <boost/thread/thread.hpp>
#include <chrono>

#include "base/mutex.hpp"
#include "needs_interruption.hpp"

namespace turnstile::base {
namespace {

TEST(base_mutex, unique_lock_takes_lets_go_and_takes_again) {
    mutex m;
    const auto free = [&] {
        const bool got = m.try_lock();
        if (got) m.unlock();
        return got;
    };
    {
        unique_lock lock{m};
        boost::thread{[&] { EXPECT_FALSE(free()); }}.join();
        lock.unlock();
        EXPECT_TRUE(free());
        lock.lock();
        boost::thread{[&] { EXPECT_FALSE(free()); }}.join();
    }
    EXPECT_TRUE(free());
}

TEST(base_mutex, condition_wakes_a_waiter) {
    mutex m;
    condition_variable changed;
    bool done = false;
    boost::thread waker{[&] {
        const lock_guard lock{m};
        done = true;
        changed.notify_all();
    }};
    {
        unique_lock lock{m};
        while (!done) changed.wait(lock);
    }
    waker.join();
}

TEST(base_mutex, a_deadline_that_has_passed_is_over_however_long_ago) {
    mutex m;
    condition_variable changed;
    using time_point = boottime_clock::time_point;
    unique_lock lock{m};
    for (const auto past : {time_point::min(), time_point{} - std::chrono::nanoseconds{1},
                            time_point{}, boottime_clock::now()})
        EXPECT_FALSE(changed.wait_until(lock, past)) << past.time_since_epoch().count();
}

TEST(base_mutex, a_deadline_that_never_comes_is_waited_for) {
    mutex m;
    condition_variable changed;
    using time_point = boottime_clock::time_point;
    for (const auto never : {time_point::max(), time_point::max() - std::chrono::hours{1},
                             boottime_clock::now() + std::chrono::years{10}}) {
        bool waiting = false;
        boost::thread waker{[&] {
            const lock_guard lock{m};
            waiting = true;
            changed.notify_all();
        }};
        {
            unique_lock lock{m};
            while (!waiting) ASSERT_TRUE(changed.wait_until(lock, never));
        }
        waker.join();
    }
}

TEST(base_mutex, wait_is_an_interruption_point) {
    TURNSTILE_NEEDS_INTERRUPTION();
    mutex m;
    condition_variable changed;
    bool interrupted = false;
    boost::thread waiter{[&] {
        unique_lock lock{m};
        try {
            for (;;) changed.wait(lock);
        } catch (const boost::thread_interrupted&) {
            interrupted = true;  // the thread holds the lock here
        }
    }};
    waiter.interrupt();
    waiter.join();
    EXPECT_TRUE(interrupted);
}

}  // namespace
}  // namespace turnstile::base
