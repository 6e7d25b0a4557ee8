// SPDX-License-Identifier: Apache-2.0
// Each check passes a right history and fails the wrong one that it is there for.
#include "checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <vector>

#include "sample_run.hpp"

namespace demo {

namespace {

event& find(run_record& run, event_kind kind, std::size_t n = 0) {
    for (auto& e : run.events) {
        if (e.kind == kind && n-- == 0) return e;
    }
    throw std::out_of_range{"no such event"};
}

void drop(run_record& run, event_kind kind) {
    std::erase_if(run.events, [kind](const event& e) { return e.kind == kind; });
}

// The sample, with its second blow as Redis has it: the server goes under worker 4, and comes back.
run_record run_with_a_killed_server() {
    auto run = sample_run();
    run.settings.servers = server_kind::redis;
    const auto guarded = std::find_if(run.events.begin(), run.events.end(), [](const event& e) {
        return e.kind == event_kind::killed_guarded;
    });
    guarded->kind = event_kind::server_killed;
    const auto at = guarded->at;
    run.events.insert(guarded + 1,
                      {{event_kind::server_back, 4, at + std::chrono::milliseconds{10}},
                       {event_kind::released, 4, at + std::chrono::milliseconds{20}}});
    const auto token = hold_at(run, 4, at)->token;
    run.sales.insert(run.sales.begin() + 4, {0, 4, token});
    run.settings.items = static_cast<int>(run.sales.size());
    for (std::size_t i = 0; i != run.sales.size(); ++i)
        run.sales[i].item = run.settings.items - static_cast<int>(i);
    return run;
}

TEST(demo_checks, pass_a_right_history_with_a_killed_server) {
    for (const auto& c : checks_with_lock(run_with_a_killed_server())) {
        EXPECT_TRUE(c.passed) << c.promise << ": " << c.numbers;
    }
}

TEST(demo_checks, see_who_came_in_while_the_server_was_away) {
    auto run = run_with_a_killed_server();
    for (auto& e : run.events)
        if (e.kind == event_kind::granted && e.worker == 2 &&
            e.at > find(run, event_kind::killed).at)
            e.at = find(run, event_kind::server_killed).at + std::chrono::milliseconds{5};
    EXPECT_FALSE(server_kill_let_nobody_in(run).passed);
}

TEST(demo_checks, see_a_holder_that_was_not_told_or_sold_nothing) {
    auto run = run_with_a_killed_server();
    run.sales.erase(run.sales.begin() + 4);
    EXPECT_FALSE(server_kill_let_nobody_in(run).passed);
    // Its lease ran out, and it was told.
    auto& end = *std::find_if(run.events.begin(), run.events.end(), [](const event& e) {
        return e.kind == event_kind::released && e.worker == 4;
    });
    event lost = end;
    lost.kind = event_kind::lost;
    lost.number = end.at.time_since_epoch().count();
    run.events.insert(run.events.begin() + (&end - run.events.data()), lost);
    EXPECT_TRUE(server_kill_let_nobody_in(run).passed);
}

TEST(server_kinds, are_found_by_their_names) {
    for (const auto kind : {server_kind::zookeeper, server_kind::redis, server_kind::postgresql,
                            server_kind::mariadb, server_kind::sqlite})
        EXPECT_EQ(parse_server_kind(words_of(kind).name), kind);
    EXPECT_FALSE(parse_server_kind("etcd"));
}

TEST(demo_checks, pass_a_right_history) {
    for (const auto& c : checks_with_lock(sample_run())) {
        EXPECT_TRUE(c.passed) << c.promise << ": " << c.numbers;
    }
}

TEST(demo_checks, fail_an_empty_history) {
    for (const auto& c : checks_with_lock(run_record{})) {
        // An empty stock file has nothing left: that alone is true.
        EXPECT_EQ(c.passed, c.promise == stock_is_empty({}).promise) << c.promise;
    }
}

TEST(demo_checks, see_stock_left_over) {
    auto run = sample_run();
    run.stock_left = 1;
    EXPECT_FALSE(stock_is_empty(run).passed);
    run.stock_left = -1;
    EXPECT_FALSE(stock_is_empty(run).passed);
}

TEST(demo_checks, see_a_double_sale) {
    auto run = sample_run();
    run.sales.push_back(run.sales.back());
    EXPECT_FALSE(nothing_sold_twice(run).passed);
    EXPECT_FALSE(sales_in_order(run).passed);
}

TEST(demo_checks, see_a_double_sale_that_hides_a_missing_one) {
    auto run = sample_run();
    run.sales[3].item = run.sales[2].item;
    EXPECT_EQ(run.sales.size(), 6U);
    EXPECT_FALSE(nothing_sold_twice(run).passed);
}

TEST(demo_checks, see_an_item_that_does_not_exist) {
    auto run = sample_run();
    run.sales.push_back({0, 1, {}});
    EXPECT_FALSE(nothing_sold_twice(run).passed);
}

TEST(demo_checks, see_sales_out_of_order) {
    auto run = sample_run();
    std::swap(run.sales[1], run.sales[2]);
    EXPECT_TRUE(nothing_sold_twice(run).passed);
    EXPECT_FALSE(sales_in_order(run).passed);
}

TEST(demo_checks, see_two_holders) {
    auto run = sample_run();
    find(run, event_kind::released).at += std::chrono::milliseconds{20};
    EXPECT_FALSE(one_holder_at_a_time(run).passed);
}

TEST(demo_checks, see_a_lease_that_outlives_the_hand_over) {
    auto run = sample_run();
    find(run, event_kind::lost).number += duration{std::chrono::seconds{1}}.count();
    EXPECT_FALSE(one_holder_at_a_time(run).passed);
    EXPECT_FALSE(paused_holder_was_told(run).passed);
}

TEST(demo_checks, see_somebody_overtaken) {
    auto run = sample_run();
    std::swap(find(run, event_kind::granted, 1).number, find(run, event_kind::granted, 2).number);
    EXPECT_FALSE(grants_in_queue_order(run).passed);
    EXPECT_TRUE(tokens_increase(run).passed);
}

TEST(demo_checks, see_a_token_that_is_not_larger) {
    auto run = sample_run();
    find(run, event_kind::granted, 2).token = find(run, event_kind::granted, 1).token;
    EXPECT_FALSE(tokens_increase(run).passed);
    EXPECT_TRUE(grants_in_queue_order(run).passed);
}

TEST(demo_checks, see_a_kill_that_hit_nobody_holding) {
    auto run = sample_run();
    find(run, event_kind::killed).at = find(run, event_kind::granted).at + duration{1};
    find(run, event_kind::killed).worker = 3;
    EXPECT_FALSE(killed_while_holding(run, event_kind::killed).passed);
    EXPECT_TRUE(killed_while_holding(run, event_kind::killed_guarded).passed);
    drop(run, event_kind::killed_guarded);
    EXPECT_FALSE(killed_while_holding(run, event_kind::killed_guarded).passed);
}

TEST(demo_checks, see_a_late_hand_over) {
    auto run = sample_run();
    const auto killed = find(run, event_kind::killed).at;
    const auto late = killed + hand_over_limit(run.settings, event_kind::killed) + duration{1};
    const auto shift = late - find(run, event_kind::granted, 4).at;
    for (auto& e : run.events) {
        if (e.at > killed) e.at += shift;
    }
    EXPECT_FALSE(handed_over_after(run, event_kind::killed).passed);
    EXPECT_TRUE(handed_over_after(run, event_kind::stopped).passed);
}

// In the time that the servers would have taken by themselves the guardian has not helped.
TEST(demo_checks, see_a_guardian_that_did_nothing) {
    auto run = sample_run();
    const auto killed = find(run, event_kind::killed_guarded).at;
    for (auto& e : run.events) {
        if (e.at > killed) e.at += run.settings.session_timeout * 2 / 3;
    }
    EXPECT_FALSE(handed_over_after(run, event_kind::killed_guarded).passed);
    EXPECT_TRUE(handed_over_after(run, event_kind::killed).passed);
}

TEST(demo_checks, see_a_paused_holder_that_was_not_told) {
    auto run = sample_run();
    drop(run, event_kind::lost);
    EXPECT_FALSE(paused_holder_was_told(run).passed);
}

TEST(demo_checks, see_a_late_write_that_went_through) {
    auto run = sample_run();
    run.sales.push_back({2, 2, find(run, event_kind::refused).token});
    EXPECT_FALSE(paused_write_was_refused(run).passed);
    drop(run, event_kind::refused);
    EXPECT_FALSE(paused_write_was_refused(run).passed);
}

TEST(demo_checks, see_a_paused_worker_that_did_not_come_back) {
    auto run = sample_run();
    std::erase_if(run.events, [](const event& e) { return e.epoch == 2; });
    EXPECT_FALSE(paused_worker_went_on(run).passed);
}

TEST(demo_checks, see_that_the_control_sold_no_more_than_there_was) {
    auto run = sample_run();
    EXPECT_FALSE(oversells(run).passed);
    run.sales.push_back(run.sales.back());
    EXPECT_TRUE(oversells(run).passed);
}

TEST(demo_events, come_back_from_their_lines) {
    for (const auto& e : sample_run().events) EXPECT_EQ(parse_line(to_line(e)), e);
    const event failed{.kind = event_kind::failed, .worker = 2, .text = "two words"};
    EXPECT_EQ(parse_line(to_line(failed)), failed);
    EXPECT_FALSE(parse_line(""));
    EXPECT_FALSE(parse_line("granted 1"));
    EXPECT_FALSE(parse_line("2026-11-21 some line of a log"));
}

}  // namespace

}  // namespace demo
