// SPDX-License-Identifier: Apache-2.0
// Tests max_hold: a hold ends although its session lives.
#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class client_hold_limit : public shell_test {
protected:
    std::unique_ptr<client> servers = connect();
    mutex lock{*servers, "/lock"};
};

TEST_F(client_hold_limit, ends_a_hold_and_lets_the_next_one_in) {
    event lost;
    auto hold = hold_shortly(lock, {.on_lost =
                                        [&](const error& why) {
                                            EXPECT_EQ(why, errc::held_too_long);
                                            lost.set();
                                        },
                                    .max_hold = 50ms});
    auto next = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(next.has_value()) << next.error().message();
    EXPECT_FALSE(hold.valid());
    EXPECT_EQ(hold.status().error(), errc::held_too_long);
    EXPECT_GT(next->fencing_token(), hold.fencing_token());
    EXPECT_TRUE(lost.wait());
    EXPECT_TRUE(next->valid());
}

TEST_F(client_hold_limit, is_the_end_that_the_guard_shows) {
    const auto before = boottime_clock::now();
    auto hold = lock.acquire({.max_hold = 1h}).value();
    auto other = mutex{*servers, "/other"}.acquire({.max_hold = 1s}).value();
    EXPECT_LE(hold.valid_until() - before, 1h) << "the lease is shorter";
    EXPECT_LE(other.valid_until(), boottime_clock::now() + 1s);
    EXPECT_GE(other.valid_until(), before + 1s);
}

TEST_F(client_hold_limit, warns_the_holder_before) {
    event warned;
    boottime_clock::duration left{};
    auto hold = lock.acquire({.warn_before = 10min,
                              .max_hold = 10s,
                              .on_expiring =
                                  [&](boottime_clock::duration remaining) {
                                      left = remaining;
                                      warned.set();
                                  }})
                    .value();
    ASSERT_TRUE(warned.wait());
    EXPECT_LE(left, 10s);
    EXPECT_TRUE(hold.valid());
}

// A holder without a connection ends its hold. The holder's znode still keeps other contenders out until the session
// expires.
TEST_F(client_hold_limit, of_a_holder_without_servers_lets_nobody_in_before_its_session_ends) {
    const auto others = connect();
    mutex same{*others, "/lock"};
    event lost;
    auto hold = lock.acquire({.on_lost = [&](const error&) { lost.set(); }, .max_hold = 50ms});
    faults.detach(servers->session().id);
    EXPECT_TRUE(lost.wait());
    EXPECT_EQ(same.try_acquire().error(), errc::busy);
    faults.attach(servers->session().id);
    EXPECT_TRUE(same.acquire({.timeout = limit()}).has_value());
}

TEST_F(client_hold_limit, goes_with_a_release) {
    ASSERT_TRUE(
        eventually([&] { return hold_shortly(lock, {.max_hold = 20ms}).release().has_value(); }));
    auto next = lock.acquire().value();
    EXPECT_TRUE(eventually(
        [&, until = boottime_clock::now() + 40ms] { return boottime_clock::now() > until; }));
    EXPECT_TRUE(next.valid()) << "the limit was the other hold's";
}

TEST_F(client_hold_limit, that_has_passed_before_the_call_returns_is_what_the_call_says) {
    EXPECT_EQ(lock.acquire({.max_hold = 1ns}).error(), errc::held_too_long);
    mutex shared{*servers, "/shared", {.cohort = 4}};
    EXPECT_EQ(shared.acquire({.max_hold = 1ns}).error(), errc::held_too_long);
}

TEST_F(client_hold_limit, is_not_negative) {
    EXPECT_EQ(lock.acquire({.max_hold = -1ms}).error(), errc::bad_option);
}

}  // namespace
}  // namespace turnstile::tests
