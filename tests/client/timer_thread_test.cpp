// SPDX-License-Identifier: Apache-2.0
// Tests the thread that wakes sessions at their deadlines.
#include "client/timer_thread.hpp"

#include "support.hpp"

namespace turnstile::detail {
namespace {

using namespace std::chrono_literals;
using turnstile::tests::event;

const thread_start k_own_thread{.duty = thread_duty::timers, .name = "test-timer"};

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
    client_timers timers{k_own_thread};
    const auto when = boottime_clock::now() + 20ms;
    timers.arm(first, when);
    ASSERT_TRUE(first.woken.wait());
    timers.stop();
    EXPECT_GE(first.woken_at, when);
    EXPECT_EQ(first.woken.count(), 1U) << "once";
}

TEST(timer_thread, calls_for_a_time_that_has_passed) {
    sleeper first;
    client_timers timers{k_own_thread};
    timers.arm(first, boottime_clock::time_point{});
    EXPECT_TRUE(first.woken.wait());
    timers.stop();
}

TEST(timer_thread, the_earlier_of_two_clients_does_not_wait_for_the_later) {
    sleeper late;
    sleeper early;
    client_timers timers{k_own_thread};
    timers.arm(late, boottime_clock::now() + 24h);
    timers.arm(early, boottime_clock::now() + 1ms);
    EXPECT_TRUE(early.woken.wait());
    EXPECT_FALSE(late.woken.is_set());
    timers.stop();
}

TEST(timer_thread, what_is_armed_again_replaces_the_time) {
    sleeper first;
    client_timers timers{k_own_thread};
    timers.arm(first, boottime_clock::now() + 24h);
    timers.arm(first, boottime_clock::now() + 1ms);
    EXPECT_TRUE(first.woken.wait());
    timers.stop();
}

// At the end of the thread, each client with a pending timer gets a last call. Otherwise the client could wait for
// ever.
TEST(timer_thread, calls_whoever_is_armed_once_more_at_the_end) {
    sleeper first;
    sleeper other;
    sleeper gone;
    client_timers timers{k_own_thread};
    for (auto* timer : {&first, &other, &gone}) timers.arm(*timer, boottime_clock::now() + 24h);
    timers.disarm(gone);
    timers.stop();
    EXPECT_EQ(first.woken.count(), 1U);
    EXPECT_EQ(other.woken.count(), 1U);
    EXPECT_FALSE(gone.woken.is_set());
}

TEST(timer_thread, calls_nobody_after_the_end) {
    sleeper first;
    client_timers timers{k_own_thread};
    timers.stop();
    timers.stop();
    timers.arm(first, boottime_clock::time_point{});
    EXPECT_FALSE(first.woken.is_set());
}

// At the thread's end, the timer's last callback arms the timer again. That must have no effect.
TEST(timer_thread, the_last_call_is_the_last) {
    class insistent final : public timer_thread::client {
    public:
        explicit insistent(client_timers& timers) : timers_{timers} {}
        void on_timer() override {
            called.set();
            timers_.arm(*this, boottime_clock::time_point{});
        }
        event called;

    private:
        client_timers& timers_;
    };
    client_timers timers{k_own_thread};
    insistent timer{timers};
    timers.arm(timer, boottime_clock::now() + 24h);
    timers.stop();
    EXPECT_EQ(timer.called.count(), 1U);
}

TEST(timer_thread, what_is_disarmed_is_not_called) {
    sleeper gone;
    sleeper later;
    client_timers timers{k_own_thread};
    timers.arm(gone, boottime_clock::now() + 20ms);
    timers.arm(later, boottime_clock::now() + 40ms);
    timers.disarm(gone);
    EXPECT_TRUE(later.woken.wait());
    timers.stop();
    EXPECT_FALSE(gone.woken.is_set());
}

// disarm() waits for a running call, so that the caller may then destroy the client.
TEST(timer_thread, disarming_waits_for_a_call_under_way_but_not_from_inside) {
    class slow final : public timer_thread::client {
    public:
        explicit slow(client_timers& timers) : timers_{timers} {}
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
        client_timers& timers_;
    };
    client_timers timers{k_own_thread};
    slow timer{timers};
    timers.arm(timer, boottime_clock::now());
    ASSERT_TRUE(timer.begun.wait());
    std::thread other{[&] { timer.may_end.set(); }};
    timers.disarm(timer);
    EXPECT_TRUE(timer.ended);
    other.join();
    timers.stop();
}

// Two clients of a runtime each have a group of timers. When one group ends with its last calls, the other group's
// timers must still be on time.
TEST(timer_thread, groups_stop_each_by_itself) {
    const auto shared = std::make_shared<timer_thread>(k_own_thread);
    sleeper first;
    sleeper second;
    client_timers first_group{shared};
    client_timers second_group{shared};
    first_group.arm(first, boottime_clock::now() + 24h);
    second_group.arm(second, boottime_clock::now() + 24h);
    first_group.stop();
    EXPECT_EQ(first.woken.count(), 1U);
    EXPECT_EQ(second.woken.count(), 0U);
    first_group.arm(first, boottime_clock::time_point{});
    second_group.arm(second, boottime_clock::now() + 1ms);
    EXPECT_TRUE(second.woken.wait());
    second_group.stop();
    EXPECT_EQ(first.woken.count(), 1U) << "it has stopped";
    EXPECT_EQ(second.woken.count(), 1U) << "it was not armed any more";
}

// Each group keeps a separate time for the same object. disarm() in one group does not change the time in another
// group. A quorum_hold sets a time in the group of each of its clients.
TEST(timer_thread, a_client_may_be_armed_in_several_groups) {
    const auto shared = std::make_shared<timer_thread>(k_own_thread);
    sleeper both;
    client_timers first_group{shared};
    client_timers second_group{shared};
    const auto when = boottime_clock::now() + 24h;
    first_group.arm(both, when);
    second_group.arm(both, when);
    first_group.disarm(both);
    first_group.stop();
    EXPECT_EQ(both.woken.count(), 0U);
    second_group.stop();
    EXPECT_EQ(both.woken.count(), 1U);
}

}  // namespace
}  // namespace turnstile::detail
