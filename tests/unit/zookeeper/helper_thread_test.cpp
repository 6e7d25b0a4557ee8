// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/helper_thread.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <vector>

#include "turnstile/testing/event.hpp"

namespace turnstile::zookeeper {
namespace {

TEST(helper_thread, runs_tasks_in_order_and_takes_new_ones_after_a_pause) {
    helper_thread helper;
    std::vector<int> done;
    for (int round = 0; round < 20; ++round) {
        turnstile::testing::event last;
        for (int i = 0; i < 3; ++i) helper.post([&done, i] { done.push_back(i); });
        helper.post([&] { last.set(); });
        ASSERT_TRUE(last.wait());
    }
    ASSERT_EQ(done.size(), 60U);
    for (std::size_t i = 0; i < done.size(); ++i) EXPECT_EQ(done[i], static_cast<int>(i % 3));
}

TEST(helper_thread, a_task_may_post_another) {
    helper_thread helper;
    turnstile::testing::event inner;
    helper.post([&] { helper.post([&] { inner.set(); }); });
    EXPECT_TRUE(inner.wait());
}

TEST(helper_thread, stop_waits_for_what_runs_and_nothing_runs_later) {
    helper_thread helper;
    turnstile::testing::event begun;
    turnstile::testing::event go_on;
    bool finished = false;
    helper.post([&] {
        begun.set();
        EXPECT_TRUE(go_on.wait());
        finished = true;
    });
    ASSERT_TRUE(begun.wait());
    go_on.set();
    helper.stop();
    EXPECT_TRUE(finished);
    bool late = false;
    helper.post([&] { late = true; });
    helper.stop();
    EXPECT_FALSE(late);
}

TEST(helper_thread, takes_no_signals) {
    helper_thread helper;
    turnstile::testing::event done;
    int blocked = 0;
    helper.post([&] {
        sigset_t mask;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        blocked = ::sigismember(&mask, SIGINT);
        done.set();
    });
    ASSERT_TRUE(done.wait());
    EXPECT_EQ(blocked, 1);
}

}  // namespace
}  // namespace turnstile::zookeeper
