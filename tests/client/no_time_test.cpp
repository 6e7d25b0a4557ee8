// SPDX-License-Identifier: Apache-2.0
// Tests each recipe's calls with a timeout of zero or a deadline in the past. Such a call is a try: it is granted if
// the lock is free, and otherwise gets `busy`. Also tests the overloads that take only a timeout or a deadline.
#include <boost/chrono/system_clocks.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

struct asynchronous_call {
    event told;
    result<guard> outcome{errc::closed};
    [[nodiscard]] std::function<void(result<guard>)> handler() {
        return [this](result<guard> answer) {
            outcome = std::move(answer);
            told.set();
        };
    }
};

class no_time_test : public shell_test {
protected:
    // Checks that `take`, which acquires with a timeout of zero, is granted if the lock is free. If another client
    // holds the lock, `take` must get `busy`.
    template <class Take>
    void is_a_try(const std::string& path, Take&& take) const {
        mutex other{*theirs, path};
        {
            auto hold = other.acquire(limit()).value();
            const auto refused = take();
            EXPECT_TRUE(refused.has_error() && refused.error() == errc::busy) << path;
            hold.release(limit()).value();
        }
        auto granted = take();
        EXPECT_TRUE(granted) << (granted ? "" : granted.error().message());
        if (granted) granted->release(limit()).value();
    }

    std::unique_ptr<client> servers = connect();
    std::unique_ptr<client> theirs = connect();
};

TEST_F(no_time_test, of_a_mutex) {
    mutex lock{*servers, "/mutex"};
    is_a_try("/mutex", [&] { return lock.acquire({.timeout = 0s}); });
    is_a_try("/mutex", [&] { return lock.acquire(0s); });
    is_a_try("/mutex", [&] { return lock.acquire(steady_clock::now()); });
    is_a_try("/mutex",
             [&] { return lock.acquire({.timeout = boost::chrono::steady_clock::now()}); });
    is_a_try("/mutex", [&] { return lock.try_acquire(0s); });
    is_a_try("/mutex", [&] {
        result<guard> outcome{errc::closed};
        event told;
        lock.async_acquire(0s, [&](result<guard> answer) {
            outcome = std::move(answer);
            told.set();
        });
        EXPECT_TRUE(told.wait());
        return outcome;
    });
}

TEST_F(no_time_test, of_the_modes_of_a_mutex) {
    mutex shared{*servers, "/shared", {.cohort = 3}};
    is_a_try("/shared", [&] { return shared.acquire(0s); });
    mutex delayed{*servers, "/delayed", {.lock_delay = 1s}};
    is_a_try("/delayed", [&] { return delayed.acquire(0s); });
    mutex retained{*servers, "/retained", {.retain_for = 1h}};
    auto other = mutex{*theirs, "/retained"}.acquire(limit()).value();
    EXPECT_EQ(retained.acquire(0s).error(), errc::busy);
    other.release(limit()).value();
    EXPECT_TRUE(retained.acquire(0s).has_value());
}

TEST_F(no_time_test, of_a_recursive_mutex) {
    recursive_mutex lock{*servers, "/recursive"};
    is_a_try("/recursive", [&] { return lock.acquire(0s); });
    is_a_try("/recursive", [&] { return lock.acquire(0s, owner::make()); });
    const auto outer = lock.acquire(2min).value();
    EXPECT_TRUE(lock.acquire(0s).has_value()) << "the owner enters again";
}

TEST_F(no_time_test, of_a_shared_mutex) {
    shared_mutex lock{*servers, "/prices"};
    shared_mutex other{*theirs, "/prices"};
    auto reading = other.acquire_shared(limit()).value();
    EXPECT_EQ(lock.acquire(0s).error(), errc::busy);
    EXPECT_TRUE(lock.acquire_shared(0s).has_value());
    EXPECT_TRUE(lock.readers().acquire(0s).has_value());
    auto upgradable = lock.acquire_upgrade(0s).value();
    EXPECT_EQ(lock.upgrade(upgradable, 0s).error(), errc::busy);
    EXPECT_EQ(lock.upgrade(upgradable, {.timeout = 0s}).error(), errc::busy);
    reading.release(limit()).value();
    EXPECT_TRUE(lock.upgrade(upgradable, 0s));
    EXPECT_EQ(other.acquire_shared(0s).error(), errc::busy);
    EXPECT_EQ(other.try_acquire_shared(1min).error(), errc::busy);
    EXPECT_EQ(other.acquire_upgrade(steady_clock::now() - 1s).error(), errc::busy);
}

TEST_F(no_time_test, of_a_semaphore) {
    semaphore slots{*servers, "/slots", 2};
    auto first = slots.acquire(0s).value();
    EXPECT_EQ(slots.acquire(2, 0s).error(), errc::busy);
    EXPECT_TRUE(slots.acquire(1, 0s).has_value());
    EXPECT_EQ(slots.try_acquire(2, 1min).error(), errc::busy);
    first.release(limit()).value();
    EXPECT_TRUE(slots.acquire(2, steady_clock::now()).has_value());
}

TEST_F(no_time_test, of_several_locks) {
    mutex a{*servers, "/a"};
    mutex b{*servers, "/b"};
    multi_lock both{a, b};
    is_a_try("/a", [&] { return both.acquire(0s); });
    is_a_try("/b", [&] { return both.acquire({.timeout = 0s}); });
    EXPECT_TRUE(any_lock{a}.acquire(0s).has_value());
}

TEST_F(no_time_test, of_a_majority) {
    const client east{"local:" + fresh_tree()};
    const client north{"local:" + fresh_tree()};
    const client west{"local:" + fresh_tree()};
    quorum_lock lock{{{east, "east"}, {north, "north"}, {west, "west"}}, "/orders"};
    quorum_lock other{{{east, "east"}, {north, "north"}, {west, "west"}}, "/orders"};
    auto hold = other.acquire(limit()).value();
    EXPECT_EQ(lock.acquire(0s).error(), errc::busy);
    hold.release(limit()).value();
    EXPECT_TRUE(lock.acquire({.timeout = 0s}).has_value());
}

TEST_F(no_time_test, of_a_deadlock_detector) {
    mutex lock{*servers, "/watched"};
    const deadlock_detector detector{*servers, {"/watched"}};
    is_a_try("/watched", [&] { return detector.acquire(lock, {.timeout = 0s}); });
}

TEST_F(no_time_test, waits_for_the_servers_answer_all_the_same) {
    mutex lock{*servers, "/late"};
    const auto id = servers->session().id;
    faults.detach(id);
    ASSERT_TRUE(eventually([&] { return servers->state() == session_state::suspended; }));
    result<guard> outcome{errc::closed};
    event told;
    lock.async_acquire(0s, [&](result<guard> answer) {
        outcome = std::move(answer);
        told.set();
    });
    faults.attach(id);
    ASSERT_TRUE(told.wait());
    EXPECT_TRUE(outcome);
}

// The client has no session yet. The calls must end after the connection timeout. The session timeout is an hour.
TEST_F(no_time_test, ends_after_the_connection_timeout_if_no_server_answers) {
    asynchronous_call plain;
    asynchronous_call kept;
    faults.refuse_connections();
    const client away{where, {.session_timeout = 1h, .connection_timeout = 1ms}};
    mutex lock{away, "/away"};
    mutex retained{away, "/away-retained", {.retain_for = 1h}};
    lock.async_acquire(0s, plain.handler());
    retained.async_acquire(0s, kept.handler());
    for (auto* const each : {&plain, &kept}) {
        ASSERT_TRUE(each->told.wait());
        EXPECT_EQ(each->outcome.error(), errc::not_connected) << each->outcome.error().message();
    }
}

// Servers in memory answer at once, so a request would be answered before the library could cancel it.
TEST_F(no_time_test, after_its_stop_token_no_call_takes_a_lock) {
    std::stop_source over;
    over.request_stop();
    const acquire_options late{.stop = over.get_token()};
    mutex plain{*servers, "/plain"};
    mutex retained{*servers, "/retained", {.retain_for = 1h}};
    shared_mutex shared{*servers, "/shared"};
    semaphore permits{*servers, "/permits", 1};
    multi_lock both{plain, shared};
    EXPECT_EQ(plain.acquire(late).error(), (error{errc::cancelled, "/plain"}));
    EXPECT_EQ(plain.try_acquire(late).error(), errc::cancelled);
    EXPECT_EQ(retained.acquire(late).error(), (error{errc::cancelled, "/retained"}));
    EXPECT_EQ(shared.acquire(late).error(), errc::cancelled);
    EXPECT_EQ(shared.acquire_shared(late).error(), errc::cancelled);
    EXPECT_EQ(permits.acquire(late).error(), errc::cancelled);
    EXPECT_EQ(both.acquire(late).error(), errc::cancelled);
    asynchronous_call later;
    plain.async_acquire(late, later.handler());
    ASSERT_TRUE(later.told.wait());
    EXPECT_EQ(later.outcome.error(), errc::cancelled);
    EXPECT_FALSE(plain.is_locked().value());
}

TEST_F(no_time_test, and_with_some_a_call_takes_a_duration_or_a_deadline_alone) {
    mutex lock{*servers, "/timed"};
    EXPECT_TRUE(lock.acquire(limit()).has_value());
    EXPECT_TRUE(lock.acquire(steady_clock::now() + limit()).has_value());
    EXPECT_TRUE(lock.acquire(std::chrono::system_clock::now() + 1h).has_value());
    EXPECT_TRUE(
        lock.acquire({.timeout = boost::chrono::steady_clock::now() + boost::chrono::hours{1}})
            .has_value());
    EXPECT_TRUE(lock.try_acquire(1min).has_value());
    EXPECT_EQ(with_lock(lock, 1min, [] { return 7; }).value(), 7);
    const auto theirs_now = mutex{*theirs, "/timed"}.acquire(limit()).value();
    EXPECT_EQ(lock.acquire(1ms).error().condition(), condition::busy);
    EXPECT_EQ(lock.try_acquire(1min).error(), errc::busy);
}

}  // namespace
}  // namespace turnstile::tests
