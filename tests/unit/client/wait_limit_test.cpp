// SPDX-License-Identifier: Apache-2.0
// Tests durations of std::chrono and boost::chrono as timeouts, including the largest durations.
#include <gtest/gtest.h>

#include <boost/chrono/duration.hpp>
#include <boost/chrono/system_clocks.hpp>
#include <chrono>
#include <limits>
#include <ratio>

#include "turnstile/acquire_options.hpp"
#include "turnstile/lockable.hpp"

namespace turnstile {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds k_for_ever{1'000'000'000'000'000'000};

// ---- to_nanoseconds -------------------------------------------------------------------------

TEST(to_nanoseconds, takes_durations_of_std_chrono) {
    EXPECT_EQ(to_nanoseconds(0s), 0ns);
    EXPECT_EQ(to_nanoseconds(1ns), 1ns);
    EXPECT_EQ(to_nanoseconds(2s), 2s);
    EXPECT_EQ(to_nanoseconds(1500us), 1500us);
    EXPECT_EQ(to_nanoseconds(std::chrono::hours{24}), 24h);
    EXPECT_EQ(to_nanoseconds(std::chrono::duration<double>{0.25}), 250ms);
    EXPECT_EQ(to_nanoseconds(std::chrono::duration<int, std::ratio<1, 3>>{3}), 1s);
}

TEST(to_nanoseconds, takes_durations_of_boost_chrono) {
    EXPECT_EQ(to_nanoseconds(boost::chrono::seconds{2}), 2s);
    EXPECT_EQ(to_nanoseconds(boost::chrono::milliseconds{15}), 15ms);
    EXPECT_EQ(to_nanoseconds(boost::chrono::duration<double>{0.25}), 250ms);
}

TEST(to_nanoseconds, keeps_large_numbers_exact) {
    constexpr std::chrono::nanoseconds k_odd{999'999'999'999'999'999};
    EXPECT_EQ(to_nanoseconds(k_odd), k_odd);
}

TEST(to_nanoseconds, stays_within_what_the_clock_can_hold) {
    EXPECT_EQ(to_nanoseconds(std::chrono::hours::max()), k_for_ever);
    EXPECT_EQ(to_nanoseconds(std::chrono::nanoseconds::max()), k_for_ever);
    EXPECT_EQ(to_nanoseconds(boost::chrono::hours::max()), k_for_ever);
    EXPECT_EQ(
        to_nanoseconds(std::chrono::duration<double>{std::numeric_limits<double>::infinity()}),
        k_for_ever);
    EXPECT_EQ(to_nanoseconds(k_for_ever + 1ns), k_for_ever);
    EXPECT_GT(boottime_clock::now() + k_for_ever, boottime_clock::now()) << "no overflow";
}

TEST(to_nanoseconds, takes_what_is_below_zero_as_zero) {
    EXPECT_EQ(to_nanoseconds(-1s), 0ns);
    EXPECT_EQ(to_nanoseconds(std::chrono::hours::min()), 0ns);
    EXPECT_EQ(
        to_nanoseconds(std::chrono::duration<double>{-std::numeric_limits<double>::infinity()}),
        0ns);
    EXPECT_EQ(
        to_nanoseconds(std::chrono::duration<double>{std::numeric_limits<double>::quiet_NaN()}),
        0ns);
}

// ---- left_until -----------------------------------------------------------------------------

// A clock whose time the test sets.
template <class Duration>
struct set_clock {
    using duration = Duration;
    using rep = typename duration::rep;
    using period = typename duration::period;
    using time_point = std::chrono::time_point<set_clock>;
    static inline duration shown{0};
    static time_point now() { return time_point{shown}; }
};

TEST(left_until, is_measured_on_the_clock_of_the_time_point) {
    using clock = set_clock<std::chrono::nanoseconds>;
    clock::shown = 1'700'000'000s;  // similar to the system clock's values
    EXPECT_EQ(left_until(clock::now()), 0ns);
    EXPECT_EQ(left_until(clock::now() + 1500us), 1500us);
    EXPECT_EQ(left_until(clock::now() + 24h), 24h);
    EXPECT_EQ(left_until(std::chrono::time_point<clock, std::chrono::seconds>{1'700'000'002s}), 2s);
    EXPECT_EQ(left_until(clock::now() - 1ns), 0ns);
}

TEST(left_until, takes_clocks_whose_ticks_are_coarse) {
    using clock = set_clock<std::chrono::hours>;
    clock::shown = 10h;
    EXPECT_EQ(left_until(clock::now() + 30min), 30min);
}

// The difference of the largest time points does not fit into their type.
TEST(left_until, stays_within_what_the_clock_can_hold) {
    using std::chrono::system_clock;
    EXPECT_EQ(left_until(system_clock::time_point::max()), k_for_ever);
    EXPECT_EQ(left_until(system_clock::time_point::min()), 0ns);
    using hours = std::chrono::time_point<system_clock, std::chrono::hours>;
    EXPECT_EQ(left_until(hours::max()), k_for_ever);
    EXPECT_EQ(left_until(hours::min()), 0ns);
    EXPECT_EQ(left_until(boottime_clock::time_point::max()), k_for_ever);
    EXPECT_EQ(left_until(boottime_clock::time_point::min()), 0ns);
}

TEST(left_until, takes_time_points_of_boost_chrono) {
    using boost::chrono::steady_clock;
    const auto left = left_until(steady_clock::now() + boost::chrono::hours{1});
    EXPECT_GT(left, 0ns);
    EXPECT_LE(left, 1h);
    EXPECT_EQ(left_until(steady_clock::time_point::min()), 0ns);
}

// ---- wait_limit -----------------------------------------------------------------------------

TEST(wait_limit, is_for_ever_by_default) {
    EXPECT_EQ(wait_limit{}.deadline(), std::nullopt);
    EXPECT_EQ(acquire_options{}.timeout.deadline(), std::nullopt);
}

TEST(wait_limit, counts_a_timeout_from_the_call) {
    const wait_limit limit = 2s;
    const auto before = boottime_clock::now();
    const auto deadline = limit.deadline();
    const auto after = boottime_clock::now();
    ASSERT_TRUE(deadline);
    EXPECT_GE(*deadline, before + 2s);
    EXPECT_LE(*deadline, after + 2s);
    EXPECT_GE(limit.deadline(), deadline) << "each call has its own";
}

TEST(wait_limit, takes_a_timeout_of_boost_chrono) {
    const wait_limit limit = boost::chrono::hours{1};
    EXPECT_GE(limit.deadline(), boottime_clock::now() + 59min);
}

TEST(wait_limit, keeps_a_deadline_as_it_is) {
    const auto deadline = boottime_clock::now() + 1h;
    EXPECT_EQ(wait_limit{deadline}.deadline(), deadline);
    const acquire_options options{.timeout = deadline};
    EXPECT_EQ(options.timeout.deadline(), deadline);
}

template <class Clock, class Hour>
void takes_a_deadline_of(Hour an_hour) {
    const auto before = boottime_clock::now();
    const acquire_options options{.timeout = Clock::now() + an_hour};
    const auto after = boottime_clock::now();
    EXPECT_FALSE(options.timeout.is_zero());
    EXPECT_GT(options.timeout.deadline(), before + 59min);
    EXPECT_LE(options.timeout.deadline(), after + 1h);
    EXPECT_EQ(options.timeout.deadline(), options.timeout.deadline())
        << "a deadline, not a timeout";
    EXPECT_TRUE(wait_limit{Clock::now() - an_hour}.is_zero());
    EXPECT_TRUE(wait_limit{Clock::now()}.is_zero());
}

TEST(wait_limit, takes_a_deadline_of_any_clock) {
    takes_a_deadline_of<std::chrono::steady_clock>(1h);
    takes_a_deadline_of<std::chrono::system_clock>(1h);
    takes_a_deadline_of<boottime_clock>(1h);
    takes_a_deadline_of<boost::chrono::steady_clock>(boost::chrono::hours{1});
    takes_a_deadline_of<boost::chrono::system_clock>(boost::chrono::hours{1});
}

TEST(wait_limit, of_no_time_is_zero_and_a_deadline_that_has_passed_since_is_not) {
    EXPECT_TRUE(wait_limit{0s}.is_zero());
    EXPECT_TRUE(wait_limit{-1s}.is_zero());
    EXPECT_FALSE(wait_limit{1ns}.is_zero());
    EXPECT_FALSE(wait_limit{}.is_zero());
    const boottime_clock::time_point past{12345ns};
    EXPECT_FALSE(wait_limit::until(past).is_zero());
    EXPECT_EQ(wait_limit::until(past).deadline(), past);
}

TEST(wait_limit, does_not_overflow) {
    EXPECT_GT(wait_limit{std::chrono::hours::max()}.deadline(), boottime_clock::now() + 24h * 365);
    EXPECT_GT(wait_limit{std::chrono::nanoseconds::max()}.deadline(), boottime_clock::now());
    const auto passed = wait_limit{std::chrono::hours::min()}.deadline();
    EXPECT_LE(passed, boottime_clock::now());
}

}  // namespace
}  // namespace turnstile
