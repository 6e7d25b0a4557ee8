// SPDX-License-Identifier: Apache-2.0
// Checks that bursts of acquires cost a client none of its holds.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "turnstile/testing/event.hpp"
#include "turnstile/testing/test_deadline.hpp"
#include "turnstile/turnstile.hpp"

namespace turnstile::tests {

// The progress of a burst's acquires. The test and the handlers own this object together, because a handler may run
// after a failed test has returned.
struct burst_progress {
    explicit burst_progress(int acquires) : entering{acquires}, open{acquires} {}
    void end_one() {
        if (--open == 0) done.set();
    }

    std::atomic<int> entering;  // acquires whose contender has not entered the queue yet
    std::atomic<int> open;      // acquires without a result yet
    std::atomic<int> refused{0};
    testing::event all_wait;
    testing::event done;
};

// Requests `of_locks` free locks at once, in folders that do not exist. The client must get all of them and keep its
// hold.
inline void expect_a_burst_costs_no_hold(client& servers, const std::string& path, int of_locks) {
    mutex kept{servers, path + ".kept"};
    auto hold = kept.acquire({.timeout = testing::limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    std::vector<std::unique_ptr<mutex>> locks;
    const auto progress = std::make_shared<burst_progress>(of_locks);
    for (int i = 0; i != of_locks; ++i) {
        locks.push_back(std::make_unique<mutex>(servers, path + "/" + std::to_string(i)));
        locks.back()->async_acquire({}, [progress](result<guard> granted) {
            if (!granted) ++progress->refused;
            if (granted) granted->unlock();
            progress->end_one();
        });
    }
    EXPECT_TRUE(progress->done.wait()) << progress->open << " are open";
    EXPECT_EQ(progress->refused, 0);
    EXPECT_TRUE(hold->valid()) << "lost to the client's own requests";
    EXPECT_TRUE(hold->release(testing::limit()));
}

// The client `servers` has a hold, and the client `other` holds the lock that `servers` requests.
struct contended {
    contended(client& servers, client& other, const std::string& path)
        : kept{servers, path + ".kept"},
          hold{kept.acquire({.timeout = testing::limit()}).value()},
          wanted{servers, path},
          held{other, path},
          in_the_way{held.acquire({.timeout = testing::limit()}).value()} {}

    void release() {
        EXPECT_TRUE(hold.release(testing::limit()));
        EXPECT_TRUE(in_the_way.release(testing::limit()));
    }

    mutex kept;
    guard hold;
    mutex wanted;
    mutex held;
    guard in_the_way;
};

// Many waiters of one client queue for a lock that another client holds. All of them give up at once.
inline void expect_a_crowd_costs_no_hold(client& servers, client& other, const std::string& path,
                                         int of_waiters) {
    contended scene{servers, other, path};
    const auto progress = std::make_shared<burst_progress>(of_waiters);
    std::stop_source given_up;
    for (int i = 0; i != of_waiters; ++i) {
        acquire_options options;
        options.stop = given_up.get_token();
        options.on_entered = [progress](const std::string&) {
            if (--progress->entering == 0) progress->all_wait.set();
        };
        scene.wanted.async_acquire(options, [progress](const result<guard>& granted) {
            EXPECT_FALSE(granted);
            progress->end_one();
        });
    }
    EXPECT_TRUE(progress->all_wait.wait()) << progress->entering << " have not entered";
    EXPECT_TRUE(scene.hold.valid()) << "lost to the client's own waiters";
    given_up.request_stop();
    EXPECT_TRUE(progress->done.wait()) << progress->open << " are open";
    EXPECT_TRUE(scene.hold.valid()) << "lost to the client's own removals";
    scene.release();
}

// More waiters request the lock than the client's sessions may have contenders. The client must refuse the surplus at
// once.
inline void expect_a_burst_beyond_all_room_costs_no_hold(client& servers, client& other,
                                                         const std::string& path, int of_waiters) {
    contended scene{servers, other, path};
    const auto progress = std::make_shared<burst_progress>(of_waiters);
    std::stop_source given_up;
    for (int i = 0; i != of_waiters; ++i) {
        acquire_options options;
        options.stop = given_up.get_token();
        scene.wanted.async_acquire(options, [progress](const result<guard>& granted) {
            EXPECT_FALSE(granted);
            if (granted.error() == errc::too_many) ++progress->refused;
            progress->end_one();
        });
    }
    EXPECT_TRUE(scene.hold.valid()) << "lost to the client's own waiters";
    given_up.request_stop();
    EXPECT_TRUE(progress->done.wait()) << progress->open << " are open";
    EXPECT_GT(progress->refused, 0);
    EXPECT_LT(progress->refused, of_waiters);
    EXPECT_TRUE(scene.hold.valid()) << "lost to the client's own removals";
    scene.release();
}

}  // namespace turnstile::tests
