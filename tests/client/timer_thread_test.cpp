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
    sleeper one;
    timer_thread timers;
    const auto when = boottime_clock::now() + 20ms;
    timers.arm(one, when);
    ASSERT_TRUE(one.woken.wait());
    timers.stop();
    EXPECT_GE(one.woken_at, when);
    EXPECT_EQ(one.woken.count(), 1U) << "once";
}

TEST(timer_thread, calls_for_a_time_that_has_passed) {
    sleeper one;
    timer_thread timers;
    timers.arm(one, boottime_clock::time_point{});
    EXPECT_TRUE(one.woken.wait());
    timers.stop();
}

TEST(timer_thread, the_earlier_of_two_clients_does_not_wait_for_the_later) {
    sleeper late;
    sleeper early;
    timer_thread timers;
    timers.arm(late, boottime_clock::now() + 24h);
    timers.arm(early, boottime_clock::now() + 1ms);
    EXPECT_TRUE(early.woken.wait());
    timers.stop();
    EXPECT_FALSE(late.woken.is_set());
}

TEST(timer_thread, what_is_armed_again_replaces_the_time) {
    sleeper one;
    timer_thread timers;
    timers.arm(one, boottime_clock::now() + 24h);
    timers.arm(one, boottime_clock::now() + 1ms);
    EXPECT_TRUE(one.woken.wait());
    timers.stop();
}

TEST(timer_thread, calls_nobody_after_the_end) {
    sleeper one;
    timer_thread timers;
    timers.arm(one, boottime_clock::now() + 24h);
    timers.stop();
    timers.stop();
    timers.arm(one, boottime_clock::time_point{});
    EXPECT_FALSE(one.woken.is_set());
}

}  // namespace
}  // namespace turnstile::detail
