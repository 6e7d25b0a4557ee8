// SPDX-License-Identifier: Apache-2.0
// The thread that wakes sessions at their deadlines.
#include "client/timer_thread.hpp"

#include "support.hpp"

namespace turnstile::detail {
namespace {

using namespace std::chrono_literals;
using turnstile::tests::event;

class sleeper final : public timer_thread::client {
public:
    void on_timer() override {
        woken_at = boottime_clock::now();
        woken.set();
    }
    boottime_clock::time_point woken_at;
    event woken;
};

TEST(timer_thread, calls_at_the_time_or_later) {
    sleeper first;
    timer_thread timers;
    const auto when = boottime_clock::now() + 20ms;
    timers.arm(first, when);
    ASSERT_TRUE(first.woken.wait());
    timers.stop();
    EXPECT_GE(first.woken_at, when);
    EXPECT_EQ(first.woken.count(), 1U) << "once";
}

TEST(timer_thread, calls_for_a_time_that_has_passed) {
    sleeper first;
    timer_thread timers;
    timers.arm(first, boottime_clock::time_point{});
    EXPECT_TRUE(first.woken.wait());
    timers.stop();
}

TEST(timer_thread, the_earlier_of_two_clients_does_not_wait_for_the_later) {
    sleeper late;
    sleeper early;
    timer_thread timers;
    timers.arm(late, boottime_clock::now() + 24h);
    timers.arm(early, boottime_clock::now() + 1ms);
    EXPECT_TRUE(early.woken.wait());
    EXPECT_FALSE(late.woken.is_set());
    timers.stop();
}

TEST(timer_thread, what_is_armed_again_replaces_the_time) {
    sleeper first;
    timer_thread timers;
    timers.arm(first, boottime_clock::now() + 24h);
    timers.arm(first, boottime_clock::now() + 1ms);
    EXPECT_TRUE(first.woken.wait());
    timers.stop();
}

// So that no test waits for a call that never comes.
TEST(timer_thread, calls_whoever_is_armed_once_more_at_the_end) {
    sleeper first;
    sleeper other;
    sleeper gone;
    timer_thread timers;
    for (auto* timer : {&first, &other, &gone}) timers.arm(*timer, boottime_clock::now() + 24h);
    timers.disarm(gone);
    timers.stop();
    EXPECT_EQ(first.woken.count(), 1U);
    EXPECT_EQ(other.woken.count(), 1U);
    EXPECT_FALSE(gone.woken.is_set());
}

TEST(timer_thread, calls_nobody_after_the_end) {
    sleeper first;
    timer_thread timers;
    timers.stop();
    timers.stop();
    timers.arm(first, boottime_clock::time_point{});
    EXPECT_FALSE(first.woken.is_set());
}

// The last call arms in vain.
TEST(timer_thread, the_last_call_is_the_last) {
    class insistent final : public timer_thread::client {
    public:
        explicit insistent(timer_thread& timers) : timers_{timers} {}
        void on_timer() override {
            called.set();
            timers_.arm(*this, boottime_clock::time_point{});
        }
        event called;

    private:
        timer_thread& timers_;
    };
    timer_thread timers;
    insistent timer{timers};
    timers.arm(timer, boottime_clock::now() + 24h);
    timers.stop();
    EXPECT_EQ(timer.called.count(), 1U);
}

TEST(timer_thread, what_is_disarmed_is_not_called) {
    sleeper gone;
    sleeper later;
    timer_thread timers;
    timers.arm(gone, boottime_clock::now() + 20ms);
    timers.arm(later, boottime_clock::now() + 40ms);
    timers.disarm(gone);
    EXPECT_TRUE(later.woken.wait());
    timers.stop();
    EXPECT_FALSE(gone.woken.is_set());
}

// So that what is armed may be destroyed afterwards.
TEST(timer_thread, disarming_waits_for_a_call_under_way_but_not_from_inside) {
    class slow final : public timer_thread::client {
    public:
        explicit slow(timer_thread& timers) : timers_{timers} {}
        void on_timer() override {
            timers_.disarm(*this);
            begun.set();
            EXPECT_TRUE(may_end.wait());
            ended = true;
        }
        event begun;
        event may_end;
        std::atomic<bool> ended{false};

    private:
        timer_thread& timers_;
    };
    timer_thread timers;
    slow timer{timers};
    timers.arm(timer, boottime_clock::now());
    ASSERT_TRUE(timer.begun.wait());
    std::thread other{[&] { timer.may_end.set(); }};
    timers.disarm(timer);
    EXPECT_TRUE(timer.ended);
    other.join();
    timers.stop();
}

}  // namespace
}  // namespace turnstile::detail
