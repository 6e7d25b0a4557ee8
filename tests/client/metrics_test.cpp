// SPDX-License-Identifier: Apache-2.0
// Tests the metrics of a program's locks in memory, and the observer that a program registers for them.
#include "turnstile/metrics.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const path_template k_orders{"/orders/{}"};

class metrics_test : public shell_test {
protected:
    static lock_numbers numbers_of(const metrics& all, const std::string& series) {
        for (auto& each : all.snapshot().locks)
            if (each.series == series) return each;
        ADD_FAILURE() << "no series " << series;
        return {};
    }
    static std::vector<std::string> names(const metrics& all) {
        std::vector<std::string> found;
        for (const auto& each : all.snapshot().locks) found.push_back(each.series);
        return found;
    }
    static std::vector<std::string> refusal(metrics_options options) {
        try {
            static_cast<void>(metrics::start(std::move(options)));
            return {};
        } catch (const std::system_error& why) {
            EXPECT_EQ(why.code(), errc::bad_option);
            return {why.what()};
        }
    }
};

TEST_F(metrics_test, a_hold_and_its_release) {
    const auto all = metrics::start();
    const auto servers = connect({.metrics = all});
    mutex lock{*servers, "/a"};
    {
        const auto hold = lock.acquire().value();
        const auto held = numbers_of(all, "/a");
        EXPECT_EQ(held.held_now, 1U);
        EXPECT_EQ(held.waits.total(), 1U);
        EXPECT_EQ(held.holds.total(), 0U);
        EXPECT_GT(held.longest_hold, 0ns);
    }
    const auto after = numbers_of(all, "/a");
    EXPECT_EQ(after.held_now, 0U);
    EXPECT_EQ(after.granted, 1U);
    EXPECT_EQ(after.holds.total(), 1U);
    for (const auto& [why, count] : after.lost) EXPECT_EQ(count, 0U) << why;
}

TEST_F(metrics_test, a_waiter_with_its_queue_and_a_wait_that_is_given_up) {
    const auto all = metrics::start();
    const auto servers = connect({.metrics = all});
    mutex lock{*servers, "/a"};
    auto hold = lock.acquire().value();
    event queued;
    event answered;
    std::stop_source stop;
    lock.async_acquire({.stop = stop.get_token(), .on_queued = [&](std::size_t) { queued.set(); }},
                       [&](const result<guard>&) { answered.set(); });
    ASSERT_TRUE(queued.wait());
    const auto waiting = numbers_of(all, "/a");
    EXPECT_EQ(waiting.waiting_now, 1U);
    EXPECT_EQ(waiting.queue_depth, 1U);
    EXPECT_GT(waiting.longest_wait, 0ns);
    stop.request_stop();
    ASSERT_TRUE(answered.wait());
    const auto after = numbers_of(all, "/a");
    EXPECT_EQ(after.waiting_now, 0U);
    EXPECT_EQ(after.refused.at("cancelled"), 1U);
    EXPECT_EQ(lock.try_acquire().error(), errc::busy);
    EXPECT_EQ(numbers_of(all, "/a").refused.at("busy"), 1U);
}

TEST_F(metrics_test, losses_by_their_reason) {
    const auto all = metrics::start();
    const auto servers = connect({.metrics = all});
    const auto operators = connect();
    mutex lock{*servers, "/a"};
    const auto lost = [&](const char* why) { return numbers_of(all, "/a").lost.at(why); };

    const auto too_long = hold_shortly(lock, {.max_hold = 1ms});
    EXPECT_TRUE(eventually([&] { return lost("held_too_long") >= 1; }));

    const auto taken = lock.acquire().value();
    revocation order{*operators, "/a"};
    order.take(lock.holder().value().value(), {.wait = 1h}).value();
    EXPECT_EQ(lost("revoked"), 1U);

    const auto expired = lock.acquire().value();
    faults.expire(servers->session().id);
    EXPECT_TRUE(eventually([&] { return lost("session_lost") == 1; }));
    EXPECT_TRUE(eventually([&] { return all.snapshot().lost_sessions == 1; }));

    const auto closed = lock.acquire().value();
    servers->close();
    EXPECT_EQ(lost("closed"), 1U);
    EXPECT_EQ(lost("removed"), 0U);
    EXPECT_EQ(numbers_of(all, "/a").held_now, 0U);
}

TEST_F(metrics_test, paths_of_a_template_are_one_series) {
    const auto all = metrics::start({.templates = {k_orders}});
    const auto servers = connect({.metrics = all});
    for (const auto* name : {"17", "18", "with space"})
        mutex{*servers, k_orders.format(name)}.acquire().value().unlock();
    mutex{*servers, "/orders"}.acquire().value().unlock();
    EXPECT_THAT(names(all), ElementsAre("/orders/{}", "/orders"));
    EXPECT_EQ(numbers_of(all, "/orders/{}").granted, 3U);
}

TEST_F(metrics_test, paths_beyond_the_limit_share_a_series) {
    const auto all = metrics::start({.most_paths = 2});
    const auto servers = connect({.metrics = all});
    for (const auto* path : {"/a", "/b", "/c", "/d", "/a"})
        mutex{*servers, path}.acquire().value().unlock();
    EXPECT_THAT(names(all), ElementsAre("/a", "/b", "other"));
    EXPECT_EQ(numbers_of(all, "/a").granted, 2U);
    EXPECT_EQ(numbers_of(all, "other").granted, 2U);
}

TEST_F(metrics_test, options_that_break_a_rule_are_refused_with_the_value) {
    EXPECT_THAT(refusal({.most_paths = 10'001}),
                ElementsAre(HasSubstr("most_paths 10001: must be at most 10000")));
    EXPECT_THAT(refusal({.bounds = {2ms, 1ms}}),
                ElementsAre(HasSubstr("1 ms after 2 ms: must be ascending")));
    EXPECT_THAT(refusal({.bounds = {0ms}}), ElementsAre(HasSubstr("above zero")));
    EXPECT_THAT(refusal({.bounds = std::vector<boottime_clock::duration>(101, 1ms)}),
                ElementsAre(HasSubstr("has 101 values: must have at most 100")));
}

TEST_F(metrics_test, each_thread_that_shares_a_lock_is_a_call) {
    const auto all = metrics::start();
    const auto servers = connect({.metrics = all});
    mutex lock{*servers, "/a", {.retain_for = 1h}};
    for (int i = 0; i != 3; ++i) lock.acquire().value().unlock();
    const auto numbers = numbers_of(all, "/a");
    EXPECT_EQ(numbers.granted, 3U);
    EXPECT_EQ(numbers.holds.total(), 3U);
    EXPECT_EQ(numbers.held_now, 0U);
}

TEST_F(metrics_test, a_lock_of_several_counts_as_its_parts) {
    const auto all = metrics::start();
    const auto servers = connect({.metrics = all});
    mutex a{*servers, "/a"};
    mutex b{*servers, "/b"};
    multi_lock both{a, b};
    both.acquire().value().unlock();
    EXPECT_EQ(numbers_of(all, "/a").granted, 1U);
    EXPECT_EQ(numbers_of(all, "/b").granted, 1U);
    EXPECT_EQ(names(all).size(), 2U);
}

TEST_F(metrics_test, sessions_reconnects_and_outages) {
    const auto all = metrics::start();
    auto servers = connect({.metrics = all});
    const auto connected = [&] {
        return all.snapshot().sessions.at(static_cast<std::size_t>(session_state::connected));
    };
    EXPECT_EQ(connected(), 1U);
    EXPECT_EQ(all.snapshot().outages, 0U);
    const auto id = servers->session().id;
    faults.detach(id);
    EXPECT_TRUE(eventually([&] { return all.snapshot().outages == 1; }));
    EXPECT_GT(all.snapshot().outage, 0ns);
    EXPECT_EQ(connected(), 0U);
    faults.attach(id);
    EXPECT_TRUE(eventually([&] { return all.snapshot().reconnects == 1; }));
    EXPECT_TRUE(eventually([&] { return all.snapshot().outage == 0ns; }));
    servers.reset();
    EXPECT_EQ(connected(), 0U);
    EXPECT_EQ(all.snapshot().reconnects, 1U);
}

TEST_F(metrics_test, several_clients_add_to_the_same_numbers) {
    const auto all = metrics::start();
    const auto here = connect({.metrics = all});
    const auto there = connect({.metrics = all});
    mutex{*here, "/a"}.acquire().value().unlock();
    mutex{*there, "/a"}.acquire().value().unlock();
    EXPECT_EQ(numbers_of(all, "/a").granted, 2U);
    EXPECT_EQ(all.snapshot().sessions.at(static_cast<std::size_t>(session_state::connected)), 2U);
}

TEST_F(metrics_test, a_handle_of_no_numbers_is_empty) {
    const metrics none;
    EXPECT_FALSE(none);
    EXPECT_TRUE(none.snapshot().locks.empty());
    const auto all = metrics::start();
    EXPECT_TRUE(all);
    const auto copy = all;
    const auto servers = connect({.metrics = copy});
    mutex{*servers, "/a"}.acquire().value().unlock();
    EXPECT_THAT(names(all), ElementsAre("/a"));
}

// ---- the observer of metrics ----------------------------------------------------------------

class observed : public metrics_test {
protected:
    struct told {
        lock_event_kind kind;
        std::uint64_t call;
        std::string path;
        fencing_token token;
        std::optional<errc> why;
    };
    metrics start() {
        return metrics::start({.observer = [this](const lock_event& event) {
            const std::lock_guard lock{mutex_};
            told_.push_back(
                {event.kind, event.call, std::string{event.path}, event.token, event.why});
            arrived.set();
        }});
    }
    std::vector<told> events() const {
        const std::lock_guard lock{mutex_};
        return told_;
    }
    std::vector<lock_event_kind> kinds() const {
        std::vector<lock_event_kind> all;
        for (const auto& each : events()) all.push_back(each.kind);
        return all;
    }
    event arrived;

private:
    mutable std::mutex mutex_;
    std::vector<told> told_;
};

TEST_F(observed, a_grant_and_a_release) {
    const auto servers = connect({.metrics = start()});
    mutex lock{*servers, "/a"};
    auto hold = lock.acquire().value();
    const auto token = hold.fencing_token();
    hold.release().value();
    using enum lock_event_kind;
    EXPECT_THAT(kinds(), ElementsAre(waits, granted, released));
    for (const auto& each : events()) {
        EXPECT_EQ(each.call, 1U);
        EXPECT_EQ(each.path, "/a");
        EXPECT_FALSE(each.why);
        EXPECT_EQ(each.token, each.kind == waits ? fencing_token{} : token);
    }
}

TEST_F(observed, a_refusal_with_its_reason) {
    const auto servers = connect({.metrics = start()});
    mutex lock{*servers, "/a"};
    const auto hold = lock.acquire().value();
    EXPECT_FALSE(lock.try_acquire().has_value());
    const auto last = events().back();
    EXPECT_EQ(last.kind, lock_event_kind::refused);
    EXPECT_EQ(last.call, 2U);
    EXPECT_EQ(last.why, errc::busy);
}

TEST_F(observed, a_loss_and_no_release_after_it) {
    const auto servers = connect({.metrics = start()});
    mutex lock{*servers, "/a"};
    {
        const auto hold = lock.acquire().value();
        faults.expire(servers->session().id);
        ASSERT_TRUE(arrived.wait(3));
    }
    using enum lock_event_kind;
    EXPECT_THAT(kinds(), ElementsAre(waits, granted, lost));
    EXPECT_EQ(events().back().why, errc::session_lost);
}

TEST_F(observed, calls_of_several_threads) {
    const auto all = start();
    const auto servers = connect({.metrics = all});
    constexpr std::size_t k_threads = 4;
    constexpr std::size_t k_calls = 50;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i != k_threads; ++i) {
        threads.emplace_back([&] {
            mutex lock{*servers, "/a"};
            for (std::size_t n = 0; n != k_calls; ++n) {
                lock.acquire().value().unlock();
                static_cast<void>(all.snapshot());
            }
        });
    }
    for (auto& each : threads) each.join();
    EXPECT_EQ(events().size(), 3 * k_threads * k_calls);
    std::set<std::uint64_t> calls;
    for (const auto& each : events()) calls.insert(each.call);
    EXPECT_EQ(calls.size(), k_threads * k_calls);
    EXPECT_EQ(numbers_of(all, "/a").granted, k_threads * k_calls);
}

// ---- metric families ------------------------------------------------------------------------

TEST_F(metrics_test, families_have_base_units_and_each_name_once) {
    const auto all = metrics::start();
    const auto servers = connect({.metrics = all});
    mutex{*servers, "/a"}.acquire().value().unlock();
    const auto families = families_of(all.snapshot());
    std::set<std::string> names;
    for (const auto& each : families) {
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
        const bool is_total = each.name.ends_with("_total");
        EXPECT_EQ(is_total, each.kind == metric_kind::counter) << each.name;
        EXPECT_TRUE(each.name.starts_with("turnstile_"));
    }
    const auto text = prometheus_text(families);
    EXPECT_THAT(text, HasSubstr("turnstile_lock_wait_seconds_count{lock=\"/a\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("turnstile_lock_lost_total{lock=\"/a\",reason=\"revoked\"} 0\n"));
    EXPECT_THAT(text, HasSubstr("turnstile_sessions{state=\"connected\"} 1\n"));
}

}  // namespace
}  // namespace turnstile::tests
