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

// Requests `of_locks` free locks at once, in folders that do not exist. The client must get all of them and keep its
// hold.
inline void expect_a_burst_costs_no_hold(client& servers, const std::string& path, int of_locks) {
    mutex kept{servers, path + ".kept"};
    auto hold = kept.acquire({.timeout = testing::limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    std::vector<std::unique_ptr<mutex>> locks;
    std::atomic<int> open{of_locks};
    std::atomic<int> refused{0};
    testing::event done;
    for (int i = 0; i != of_locks; ++i) {
        locks.push_back(std::make_unique<mutex>(servers, path + "/" + std::to_string(i)));
        locks.back()->async_acquire({}, [&](result<guard> granted) {
            if (!granted) ++refused;
            if (granted) granted->unlock();
            if (--open == 0) done.set();
        });
    }
    EXPECT_TRUE(done.wait()) << open << " are open";
    EXPECT_EQ(refused, 0);
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
    std::atomic<int> entering{of_waiters};
    std::atomic<int> open{of_waiters};
    testing::event all_wait;
    testing::event done;
    std::stop_source given_up;
    for (int i = 0; i != of_waiters; ++i) {
        acquire_options options;
        options.stop = given_up.get_token();
        options.on_entered = [&](const std::string&) {
            if (--entering == 0) all_wait.set();
        };
        scene.wanted.async_acquire(options, [&](const result<guard>& granted) {
            EXPECT_FALSE(granted);
            if (--open == 0) done.set();
        });
    }
    EXPECT_TRUE(all_wait.wait()) << entering << " have not entered";
    EXPECT_TRUE(scene.hold.valid()) << "lost to the client's own waiters";
    given_up.request_stop();
    EXPECT_TRUE(done.wait()) << open << " are open";
    EXPECT_TRUE(scene.hold.valid()) << "lost to the client's own removals";
    scene.release();
}

// More waiters request the lock than the client's sessions may have contenders. The client must refuse the surplus at
// once.
inline void expect_a_burst_beyond_all_room_costs_no_hold(client& servers, client& other,
                                                         const std::string& path, int of_waiters) {
    contended scene{servers, other, path};
    std::atomic<int> open{of_waiters};
    std::atomic<int> refused{0};
    testing::event done;
    std::stop_source given_up;
    for (int i = 0; i != of_waiters; ++i) {
        acquire_options options;
        options.stop = given_up.get_token();
        scene.wanted.async_acquire(options, [&](const result<guard>& granted) {
            EXPECT_FALSE(granted);
            if (granted.error() == errc::too_many) ++refused;
            if (--open == 0) done.set();
        });
    }
    EXPECT_TRUE(scene.hold.valid()) << "lost to the client's own waiters";
    given_up.request_stop();
    EXPECT_TRUE(done.wait()) << open << " are open";
    EXPECT_GT(refused, 0);
    EXPECT_LT(refused, of_waiters);
    EXPECT_TRUE(scene.hold.valid()) << "lost to the client's own removals";
    scene.release();
}

}  // namespace turnstile::tests
