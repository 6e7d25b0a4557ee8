// SPDX-License-Identifier: Apache-2.0
// Tests times at the limits of their types in each call that takes a time. A past time ends the call at once. A time
// that never comes lets the call wait until its stop token fires. The error about an invalid time names the option.
#include <gmock/gmock.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "base/duration_text.hpp"
#include "support.hpp"
#include "turnstile/tools/odd_znodes.hpp"
#include "turnstile/tools/path_trial.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;
using time_point = boottime_clock::time_point;
using duration = boottime_clock::duration;

const std::array<wait_limit, 8> k_past{duration::min(),
                                       -1ns,
                                       0ns,
                                       std::chrono::hours::min(),
                                       time_point::min(),
                                       time_point{} - 1ns,
                                       time_point{} + 1ns,
                                       guard{}.valid_until()};
const std::array<wait_limit, 5> k_never{duration::max(), std::chrono::hours::max(),
                                        std::chrono::duration<double>::max(), time_point::max(),
                                        time_point::max() - 1ns};
const std::array<duration, 8> k_no_span{
    duration::min(),     duration::min() + 1ns, -1ms,           -1ns, std::chrono::years{11},
    duration::max() / 2, duration::max() - 1ns, duration::max()};

// Errors of a call whose deadline has passed. outcome_unknown is for writes.
const auto k_late = ::testing::AnyOf(errc::timeout, errc::not_connected, errc::outcome_unknown);

// Errors of an acquire whose deadline has passed, and which therefore tries once.
const auto k_not_taken =
    ::testing::AnyOf(errc::busy, errc::timeout, errc::not_connected, errc::outcome_unknown);

// A waiting call with its name. `run` returns the call's error.
struct call {
    std::string name;
    std::function<std::optional<error>(const wait_limit&, std::stop_token)> run;
};

template <class T>
std::optional<error> why_not(const result<T>& outcome) {
    if (!outcome.has_error()) return std::nullopt;
    return outcome.error();
}

class extreme_limits : public shell_test {
protected:
    // The calls of `servers` wait for locks that `others` holds.
    std::unique_ptr<client> servers = connect();
    std::unique_ptr<client> others = connect();
    mutex plain{*servers, "/plain"};
    mutex retained{*servers, "/retained", {.retain_for = 1h, .cohort = 2}};
    mutex seventh{*servers, "/seventh"};
    recursive_mutex again{*servers, "/again"};
    shared_mutex both{*servers, "/both"};
    semaphore some{*servers, "/some", 2};
    multi_lock all{plain, retained};
    leader seat{*servers, "/seat", {"here"}};
    deadlock_detector detector{*servers, {"/plain"}};
    rate_gate rate{*servers, "/rate", {.entries = 1, .period = 1h}};
    job_gate job{*servers, "/job", {.period = 1h}};
    client ensemble_b{"local:" + tree + "-b"};
    client ensemble_c{"local:" + tree + "-c"};
    std::vector<quorum_member> ensembles{{*servers, "a"}, {ensemble_b, "b"}, {ensemble_c, "c"}};
    quorum_lock most{ensembles, "/most"};
    // The client `others` also holds this lock, as a reader, so `upgradable` cannot be upgraded.
    shared_mutex upgraded{*servers, "/upgraded"};
    guard upgradable;

    std::vector<call> waits() {
        std::vector<call> calls;
        const auto add = [&calls](std::string name, auto acquire) {
            calls.push_back(
                {std::move(name), [acquire](const wait_limit& limit, std::stop_token stop) {
                     acquire_options options;
                     options.timeout = limit;
                     options.stop = std::move(stop);
                     return why_not(acquire(std::move(options)));
                 }});
        };
        add("mutex", [this](auto o) { return plain.acquire(std::move(o)); });
        add("shared by threads", [this](auto o) { return retained.acquire(std::move(o)); });
        add("recursive_mutex", [this](auto o) { return again.acquire(std::move(o)); });
        add("writer", [this](auto o) { return both.acquire(std::move(o)); });
        add("reader", [this](auto o) { return both.acquire_shared(std::move(o)); });
        add("upgradable", [this](auto o) { return both.acquire_upgrade(std::move(o)); });
        add("semaphore", [this](auto o) { return some.acquire(2, std::move(o)); });
        add("upgrade", [this](auto o) { return upgraded.upgrade(upgradable, std::move(o)); });
        add("quorum_lock", [this](auto o) { return most.acquire(std::move(o)); });
        add("job_gate", [this](auto o) -> result<void> {
            const auto done = job.run([](job_run&) {}, std::move(o));
            if (!done) return done.error();
            if (done->verdict == job_verdict::running) return error{errc::timeout};
            return {};
        });
        add("multi_lock", [this](auto o) { return all.acquire(std::move(o)); });
        add("any_lock", [this](auto o) { return any_lock{plain}.acquire(std::move(o)); });
        add("detector", [this](auto o) { return detector.acquire(plain, std::move(o)); });
        add("rate_gate", [this](auto o) { return rate.enter(std::move(o)); });
        add("with_lock", [this](auto o) { return with_lock(plain, std::move(o), [] {}); });
        calls.push_back({"leader", [this](const wait_limit& limit, std::stop_token stop) {
                             return why_not(
                                 seat.await({.timeout = limit, .stop = std::move(stop)}));
                         }});
        return calls;
    }

    struct in_the_way {
        std::vector<guard> holds;
        std::unique_ptr<turnstile::leader> seat;
        std::unique_ptr<quorum_lock> most;
    };
    in_the_way hold_all() {
        in_the_way result;
        for (const auto* path : {"/plain", "/retained", "/again", "/job"})
            result.holds.push_back(mutex{*others, path}.acquire().value());
        result.holds.push_back(shared_mutex{*others, "/both"}.acquire().value());
        result.holds.push_back(semaphore{*others, "/some", 2}.acquire().value());
        result.holds.push_back(shared_mutex{*others, "/upgraded"}.acquire_shared().value());
        upgradable = upgraded.acquire_upgrade().value();
        result.most = std::make_unique<quorum_lock>(ensembles, "/most");
        result.holds.push_back(result.most->acquire({.timeout = limit()}).value());
        result.seat =
            std::make_unique<turnstile::leader>(*others, "/seat", leader_options{.id = "there"});
        result.seat->start();
        result.seat->await({.timeout = limit()}).value();
        seat.start();
        rate.enter().value();
        return result;
    }
};

TEST_F(extreme_limits, what_is_past_is_over_at_once) {
    const auto held = hold_all();
    for (const auto& wait : waits()) {
        for (std::size_t i = 0; i != k_past.size(); ++i) {
            const auto why = wait.run(k_past[i], {});
            ASSERT_TRUE(why) << wait.name << ", limit " << i;
            EXPECT_THAT(why->code(), k_not_taken)
                << wait.name << ", limit " << i << ": " << why->message();
        }
    }
}

// Each call waits without end, until the test sees it wait and fires its stop token.
TEST_F(extreme_limits, what_never_comes_is_waited_for) {
    const auto held = hold_all();
    for (const auto& wait : waits()) {
        for (std::size_t i = 0; i != k_never.size(); ++i) {
            std::stop_source stop;
            auto outcome = std::async(std::launch::async,
                                      [&] { return wait.run(k_never[i], stop.get_token()); });
            stop.request_stop();
            const auto why = outcome.get();
            ASSERT_TRUE(why) << wait.name << ", limit " << i;
            EXPECT_EQ(*why, errc::cancelled)
                << wait.name << ", limit " << i << ": " << why->message();
        }
    }
}

TEST_F(extreme_limits, a_wait_without_end_is_granted_when_its_turn_comes) {
    for (const auto& never : k_never) {
        auto first = mutex{*others, "/plain"}.acquire().value();
        auto second = std::async(std::launch::async,
                                 [&] { return plain.acquire({.timeout = never}).has_value(); });
        ASSERT_TRUE(eventually([&] { return plain.queue().value().size() == 2; }));
        first.unlock();
        EXPECT_TRUE(second.get());
    }
}

// Returns the call's error, or errc::timeout if the call was so fast that it succeeded.
template <class T>
errc code_of(const result<T>& outcome) {
    return outcome.has_error() ? outcome.error().code() : errc::timeout;
}

TEST_F(extreme_limits, releases_and_connections_take_any_deadline) {
    for (const auto past : {time_point::min(), time_point{} - 1ns, guard{}.valid_until()}) {
        auto hold = plain.acquire().value();
        EXPECT_THAT(code_of(hold.release_until(past)), k_late);
        EXPECT_FALSE(hold);
        EXPECT_THAT(code_of(servers->wait_connected(past)), k_late);
    }
    for (const auto never : {time_point::max(), time_point::max() - 1ns}) {
        EXPECT_TRUE(plain.acquire().value().release_until(never));
        EXPECT_TRUE(servers->wait_connected(never));
    }
    EXPECT_TRUE(plain.acquire().value().release(std::chrono::hours::max()));
    EXPECT_TRUE(servers->wait_connected(std::chrono::hours::max()));
}

TEST_F(extreme_limits, queries_and_commits_take_any_limit) {
    auto hold = plain.acquire().value();
    some.set_limit(2).value();
    const auto ask = [&](const wait_limit& limit, const auto& judge) {
        const query_options options{.timeout = limit};
        judge(plain.is_locked(options));
        judge(plain.queue(options));
        judge(plain.holder(options));
        judge(plain.position(hold, options));
        judge(some.limit(options));
        judge(some.set_limit(2, options));
        judge(seat.participants(options));
        judge(detector.find(options));
        judge(job.last(options));
        judge(read_node(*servers, "/plain", options));
        judge(try_path(*servers, "/tried", options));
        judge(locks_below(*servers, "/plain", {.timeout = limit}));
        judge(odd_znodes_below(*servers, "/plain", {.timeout = limit}));
        judge(hold.commit(transaction{}.check("/"), {.timeout = limit}));
    };
    for (const auto& past : k_past)
        ask(past, [](const auto& outcome) { EXPECT_THAT(code_of(outcome), k_late); });
    for (const auto& never : k_never)
        ask(never, [](const auto& outcome) {
            EXPECT_FALSE(outcome.has_error()) << outcome.error().message();
        });
}

TEST_F(extreme_limits, standard_forms_take_any_time) {
    const auto other = mutex{*others, "/plain"}.acquire().value();
    EXPECT_FALSE(plain.try_lock_for(std::chrono::hours::min()));
    EXPECT_FALSE(plain.try_lock_until(time_point::min()));
    EXPECT_FALSE(plain.try_lock_until(std::chrono::system_clock::time_point::min()));
    const auto writer = shared_mutex{*others, "/both"}.acquire().value();
    EXPECT_FALSE(both.try_lock_shared_for(std::chrono::hours::min()));
    EXPECT_FALSE(both.try_lock_shared_until(time_point::min()));
    EXPECT_FALSE(both.try_lock_upgrade_for(std::chrono::hours::min()));
    counting_semaphore counted{some};
    EXPECT_TRUE(counted.try_acquire_for(std::chrono::hours::max()));
    EXPECT_TRUE(counted.try_acquire_until(std::chrono::steady_clock::time_point::max()));
    EXPECT_FALSE(counted.try_acquire_for(std::chrono::hours::min()));
    EXPECT_FALSE(counted.try_acquire_until(std::chrono::system_clock::time_point::min()));
    ASSERT_TRUE(seventh.try_lock_for(std::chrono::hours::max()));
    seventh.unlock();
    ASSERT_TRUE(seventh.try_lock_until(std::chrono::steady_clock::time_point::max()));
    seventh.unlock();
}

TEST_F(extreme_limits, a_client_closes_however_long_it_may_take) {
    auto quick = connect({.close_timeout = std::chrono::milliseconds::max()});
    const auto hold = mutex{*quick, "/seventh"}.acquire().value();
    quick->close();
    EXPECT_EQ(hold.status().error(), errc::closed);
}

// ---- options that take a span of time ---------------------------------------------------------------

template <class F>
void expect_refused(const std::string& name, duration span, F&& make) {
    try {
        static_cast<void>(make());
        ADD_FAILURE() << name << " = " << span.count() << " ns";
    } catch (const std::system_error& failure) {
        EXPECT_EQ(failure.code(), make_error_code(errc::bad_option)) << name;
        EXPECT_THAT(failure.what(), ::testing::HasSubstr(name));
        EXPECT_THAT(failure.what(), ::testing::HasSubstr(base::duration_text(span)));
    }
}

TEST_F(extreme_limits, spans_that_make_no_sense_are_refused_by_name) {
    seat.start();
    for (const auto span : k_no_span) {
        for (auto* const lock : {&plain, &retained}) {
            expect_refused("max_hold", span,
                           [&] { return lock->acquire({.max_hold = span}).value(); });
            expect_refused("warn_before", span,
                           [&] { return lock->acquire({.warn_before = span}).value(); });
        }
        expect_refused("max_hold", span, [&] { return all.acquire({.max_hold = span}).value(); });
        expect_refused("retain_for", span, [&] { mutex{*servers, "/x", {.retain_for = span}}; });
        expect_refused("lock_delay", span, [&] { mutex{*servers, "/x", {.lock_delay = span}}; });
        expect_refused("period", span, [&] { job_gate{*servers, "/x", {.period = span}}; });
        expect_refused("at_least_for", span, [&] {
            job_gate{*servers, "/x", {.at_least_for = span}};
        });
        expect_refused("at_most_for", span, [&] {
            job_gate{*servers, "/x", {.at_most_for = span}};
        });
        expect_refused("period", span, [&] {
            rate_gate{*servers, "/x", {.entries = 1, .period = span}};
        });
        leader chair{*servers, "/chair", [](leader_term&) {}};
        expect_refused("within", span, [&] { chair.move_to("x", span).value(); });
    }
}

TEST_F(extreme_limits, the_longest_spans_are_good) {
    constexpr duration k_longest = std::chrono::years{10};
    const auto ignored = [](auto&&...) {};
    for (auto* const lock : {&plain, &retained}) {
        auto hold = lock->acquire(
            {.warn_before = k_longest, .max_hold = k_longest, .on_expiring = ignored});
        ASSERT_TRUE(hold) << hold.error().message();
        EXPECT_TRUE(hold->valid());
    }
    mutex delayed{*servers, "/delayed", {.lock_delay = k_longest}};
    EXPECT_TRUE(delayed.acquire().value().release());
    mutex kept{*servers, "/kept", {.retain_for = k_longest}};
    kept.acquire().value().unlock();
    EXPECT_TRUE(kept.acquire().has_value());
    job_gate yearly{*servers, "/yearly", {k_longest, k_longest, k_longest}};
    EXPECT_EQ(yearly.run([](job_run&) {}).value().verdict, job_verdict::ran);
    const auto again_at = yearly.run([](job_run&) {}).value().retry_in;
    EXPECT_GT(again_at, k_longest - 24h);
    EXPECT_LE(again_at, k_longest);
    rate_gate slow{*servers, "/slow", {.entries = 1, .period = k_longest}};
    EXPECT_TRUE(slow.enter());
    EXPECT_EQ(slow.try_enter().error(), errc::busy);
    EXPECT_GT(slow.state().value().retry_in, k_longest - 24h);
}

TEST_F(extreme_limits, looks_for_deadlocks_and_orders_wait_any_time) {
    const auto held = mutex{*others, "/plain"}.acquire().value();
    deadlock_detector patient{
        *servers, {"/plain"}, {.look_after = std::chrono::milliseconds::max()}};
    std::stop_source stop;
    auto outcome = std::async(std::launch::async, [&] {
        return patient.acquire(plain, {.stop = stop.get_token()}).error();
    });
    ASSERT_TRUE(eventually([&] { return plain.queue().value().size() == 2; }));
    stop.request_stop();
    EXPECT_EQ(outcome.get(), errc::cancelled);

    revocation orders{*servers, "/plain"};
    const auto holder = plain.holder().value().value();
    EXPECT_EQ(orders.take(holder, {.wait = std::chrono::milliseconds::min()}).error(),
              errc::bad_option);
    EXPECT_EQ(orders.take(holder, {.wait = std::chrono::milliseconds::max()}).value(),
              revocation_outcome::gave_way);
}

TEST_F(extreme_limits, options_of_quorum_locks_and_detectors_are_refused_by_name) {
    using std::chrono::milliseconds;
    const auto refusal = [](auto&& make) -> std::string {
        try {
            make();
        } catch (const std::system_error& failure) {
            EXPECT_EQ(failure.code(), make_error_code(errc::bad_option));
            return failure.what();
        }
        return "not refused";
    };
    for (const auto span : {milliseconds::min(), milliseconds{-1}, milliseconds{0},
                            milliseconds{24h} + 1ms, milliseconds::max()}) {
        const auto says = [&](const char* name) {
            return ::testing::AllOf(::testing::HasSubstr(name),
                                    ::testing::HasSubstr(base::duration_text(span)));
        };
        const auto made_with = [&](const quorum_options& options) {
            return refusal([&] { quorum_lock{ensembles, "/x", options}; });
        };
        EXPECT_THAT(made_with({.attempt = span}), says("attempt"));
        EXPECT_THAT(made_with({.retry_first = span}), says("retry_first"));
        EXPECT_THAT(made_with({.retry_longest = span}), says("retry_longest"));
    }
    for (const auto span : {milliseconds::min(), milliseconds{-1}, milliseconds{0}}) {
        EXPECT_THAT(refusal([&] {
                        deadlock_detector{*servers, {"/plain"}, {.look_after = span}};
                    }),
                    ::testing::AllOf(::testing::HasSubstr("look_after"),
                                     ::testing::HasSubstr(base::duration_text(span))));
    }
    for (const std::size_t entries : {std::size_t{0}, SIZE_MAX}) {
        EXPECT_THAT(refusal([&] {
                        rate_gate{*servers, "/x", {.entries = entries, .period = 1h}};
                    }),
                    ::testing::HasSubstr(std::to_string(entries)));
    }
}

TEST_F(extreme_limits, servers_are_asked_for_their_health_within_any_limit) {
    for (const auto span : {std::chrono::milliseconds::min(), std::chrono::milliseconds{-1},
                            std::chrono::milliseconds{0}, std::chrono::milliseconds::max()}) {
        const auto health = health_of_servers("127.0.0.1:1", span);  // port 1 refuses connections
        ASSERT_TRUE(health) << health.error().message();
        EXPECT_FALSE(health->at(0).reachable);
        EXPECT_FALSE(answers_of_servers("127.0.0.1:1", "ruok", span)->at(0).allowed);
    }
}

}  // namespace
}  // namespace turnstile::tests
