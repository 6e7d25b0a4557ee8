// SPDX-License-Identifier: Apache-2.0
#include "base/lazy_condition.hpp"

#include <gtest/gtest.h>

#include <boost/thread/thread.hpp>
#include <chrono>

namespace turnstile::base {
namespace {

TEST(lazy_condition, wakes_all_who_wait) {
    mutex guarding;
    lazy_condition changed;
    lazy_condition arrived;
    int waiting = 0;
    bool ready = false;
    const auto wait = [&] {
        unique_lock lock{guarding};
        ++waiting;
        arrived.notify_all();
        while (!ready) changed.wait(lock);
    };
    boost::thread thread{wait};
    boost::thread other{wait};
    {
        unique_lock lock{guarding};
        while (waiting != 2) arrived.wait(lock);
        ready = true;
    }
    changed.notify_all();
    thread.join();
    other.join();
}

TEST(lazy_condition, has_nobody_to_tell_before_somebody_waits) {
    mutex guarding;
    lazy_condition changed;
    changed.notify_all();
    unique_lock lock{guarding};
    EXPECT_FALSE(changed.wait_until(lock, boottime_clock::now()));
}

}  // namespace
}  // namespace turnstile::base
