#include <gtest/gtest.h>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"

namespace turnstile::base {
namespace {

TEST(base_mutex, scoped_lock_takes_lets_go_and_takes_again) {
    mutex m;
    const auto free = [&] {
        const bool got = m.try_lock();
        if (got) m.unlock();
        return got;
    };
    {
        scoped_lock lock{m};
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
    condition changed;
    bool done = false;
    boost::thread waker{[&] {
        const scoped_lock lock{m};
        done = true;
        changed.notify_all();
    }};
    {
        scoped_lock lock{m};
        while (!done) changed.wait(lock);
    }
    waker.join();
}

TEST(base_mutex, wait_is_an_interruption_point) {
    mutex m;
    condition changed;
    bool interrupted = false;
    boost::thread waiter{[&] {
        scoped_lock lock{m};
        try {
            for (;;) changed.wait(lock);
        } catch (const boost::thread_interrupted&) {
            interrupted = true;  // with the lock taken
        }
    }};
    waiter.interrupt();
    waiter.join();
    EXPECT_TRUE(interrupted);
}

}  // namespace
}  // namespace turnstile::base
