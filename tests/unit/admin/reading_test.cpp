// SPDX-License-Identifier: Apache-2.0
// Tests what the admin page computes from surveys: totals, filters, history, distributions, and the plan of the next
// reads.
#include <gtest/gtest.h>

#include "admin/api/lock_filter.hpp"
#include "admin/reading/distribution.hpp"
#include "admin/reading/history.hpp"
#include "admin/reading/lock_json.hpp"
#include "admin/reading/snapshot.hpp"
#include "admin/reading/survey_plan.hpp"

namespace turnstile::admin {
namespace {

using namespace std::chrono_literals;

wall_time at(std::chrono::seconds offset) {
    return wall_time{std::chrono::hours{500'000} + offset};
}

contender make_contender(const std::string& name, std::int64_t session,
                         std::chrono::seconds created = 0s) {
    contender entry;
    entry.name = name;
    entry.session_id = session;
    entry.created = at(created);
    entry.metadata.host = "host-" + name;
    return entry;
}

surveyed_lock lock(const std::string& path, std::vector<contender> holders,
                   std::vector<contender> waiters = {}) {
    surveyed_lock survey_row{.path = path};
    survey_row.contenders = holders.size() + waiters.size();
    survey_row.holders = std::move(holders);
    survey_row.waiters = std::move(waiters);
    return survey_row;
}

TEST(admin_snapshot, totals) {
    const lock_survey survey{
        {lock("/a", {make_contender("x", 1)}, {make_contender("y", 2), make_contender("z", 1)}),
         lock("/b", {make_contender("w", 3)})},
        {"/secret"}};
    EXPECT_EQ(totals_of(survey), (lock_totals{2, 2, 1, 4, 3, 1}));
    lock_survey names{{{.path = "/a", .contenders = 3}, {.path = "/b", .contenders = 1}}, {}};
    EXPECT_EQ(totals_of(names), (lock_totals{2, 2, 1, 4, 0, 0}));
}

TEST(admin_snapshot, places) {
    lock_survey survey{{lock("/a", {}), lock("/b", {}), lock("/b", {}), lock("/c", {})}, {}};
    survey.locks[2].kind = lock_kind::semaphore;
    EXPECT_EQ(place_of(survey, "/b", lock_kind::semaphore), 2U);
    EXPECT_EQ(place_of(survey, "/b", lock_kind::mutex), 1U);
    EXPECT_FALSE(place_of(survey, "/b", lock_kind::kazoo));
    EXPECT_FALSE(place_of(survey, "/bb", lock_kind::mutex));
    EXPECT_EQ(lock_kind_of("semaphore"), lock_kind::semaphore);
    EXPECT_FALSE(lock_kind_of("Mutex"));
}

TEST(admin_snapshot, a_queue_that_has_changed) {
    const auto before = lock("/a", {make_contender("x", 1)}, {make_contender("y", 2)});
    EXPECT_TRUE(same_queue(before, before));
    EXPECT_FALSE(same_queue(before, lock("/a", {make_contender("y", 2)})));
    auto words = before;
    words.holders[0].metadata.text = "asked";
    EXPECT_FALSE(same_queue(before, words));
    auto more = before;
    ++more.contenders;  // this contender exceeds the limit on reads
    EXPECT_FALSE(same_queue(before, more));
}

snapshot snapshot_of(std::vector<surveyed_lock> locks,
                     std::vector<std::optional<wall_time>> held_since) {
    snapshot view;
    view.survey.locks = std::move(locks);
    view.held_since = std::move(held_since);
    return view;
}

TEST(admin_lock_filter, paths_holders_kinds_and_orders) {
    auto seen = snapshot_of(
        {lock("/a/1", {make_contender("x", 1)}),
         lock("/a/2", {make_contender("y", 1)}, {make_contender("z", 2), make_contender("w", 2)}),
         lock("/b/1", {make_contender("v", 3)}, {make_contender("u", 3)})},
        {at(5s), at(1s), std::nullopt});
    seen.survey.locks[0].kind = lock_kind::latch;
    using places = std::vector<std::size_t>;
    EXPECT_EQ(chosen_locks(seen, {}), (places{1, 2, 0}));
    EXPECT_EQ(chosen_locks(seen, {.order = lock_order::path}), (places{0, 1, 2}));
    EXPECT_EQ(chosen_locks(seen, {.order = lock_order::held}), (places{1, 0, 2}));
    EXPECT_EQ(chosen_locks(seen, {.prefix = "/a"}), (places{1, 0}));
    EXPECT_EQ(chosen_locks(seen, {.prefix = "1"}), (places{2, 0}));
    EXPECT_EQ(chosen_locks(seen, {.prefix = "/1"}), places{});
    EXPECT_EQ(chosen_locks(seen, {.holder = "HOST-Y"}), places{1});
    EXPECT_EQ(chosen_locks(seen, {.holder = "host-z"}), places{});  // host-z only waits
    EXPECT_EQ(chosen_locks(seen, {.kind = lock_kind::latch}), places{0});
}

using spans = std::vector<hold_span>;

spans spans_of(const history& known, const std::string& path) {
    return known.of({path, lock_kind::mutex}).value_or(spans{});
}

TEST(admin_history, one_after_the_other) {
    history known;
    known.add({{lock("/a", {make_contender("x", 1, 0s)}, {make_contender("y", 2, 3s)})}, {}},
              at(10s));
    known.add({{lock("/a", {make_contender("y", 2, 3s)})}, {}}, at(12s));
    known.add({{}, {}}, at(20s));
    const auto all = spans_of(known, "/a");
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].znode, "x");
    EXPECT_FALSE(all[0].waited);
    EXPECT_EQ(all[0].from, at(0s));  // no survey showed the contender waiting
    EXPECT_EQ(all[0].to, at(12s));
    EXPECT_TRUE(all[1].waited);
    EXPECT_EQ(all[1].created, at(3s));
    EXPECT_EQ(all[1].from, at(12s));
    EXPECT_EQ(all[1].to, at(20s));
    EXPECT_FALSE(known.of({"/a", lock_kind::semaphore}));
}

TEST(admin_history, a_hold_that_lasts) {
    history known;
    const lock_survey survey{{lock("/a", {make_contender("x", 1, 0s)})}, {}};
    known.add(survey, at(1s));
    known.add(survey, at(2s));
    const auto all = spans_of(known, "/a");
    ASSERT_EQ(all.size(), 1U);
    EXPECT_FALSE(all[0].to);
    EXPECT_EQ(known.held_since({"/a", lock_kind::mutex}), at(0s));
    EXPECT_FALSE(known.held_since({"/b", lock_kind::mutex}));
}

TEST(admin_template_times, of_locks_whose_last_names_differ) {
    history known;
    known.add({{lock("/a/1", {make_contender("x", 1, 0s)}, {make_contender("y", 2, 3s)}),
                lock("/a/2", {make_contender("z", 3, 5s)}), lock("/b", {make_contender("w", 4)})},
               {}},
              at(10s));
    known.note_taken({"/a/2", lock_kind::mutex}, "z");
    known.add(
        {{lock("/a/1", {make_contender("y", 2, 3s)}), lock("/b", {make_contender("w", 4)})}, {}},
        at(12s));
    const auto all = times_by_template(known, 10);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].form, "/a/{}");
    EXPECT_EQ(all[0].locks, 2U);
    EXPECT_EQ(all[0].holds.count, 2U);  // x held for 12 s, and z for 7 s
    EXPECT_EQ(all[0].holds.longest, 12s);
    EXPECT_EQ(all[0].holds.p50, 7s);
    EXPECT_EQ(all[0].waits.count, 1U);  // only y waited
    EXPECT_EQ(all[0].waits.p99, 9s);
    EXPECT_EQ(all[0].taken, 1U);
    EXPECT_EQ(all[0].unknown, 1U);
    EXPECT_EQ(all[1].form, "/{}");
    EXPECT_EQ(all[1].holds.count, 0U);
    EXPECT_EQ(times_by_template(known, 1).size(), 1U);
}

TEST(admin_history, how_a_hold_ended) {
    history known;
    known.add({{lock("/a", {make_contender("x", 1)}), lock("/b", {make_contender("y", 1)}),
                lock("/c", {make_contender("z", 3)}), lock("/d", {make_contender("w", 4)})},
               {}},
              at(1s));
    known.note_taken({"/d", lock_kind::mutex}, "w");
    known.add({{lock("/b", {make_contender("y", 1)})}, {}}, at(2s));
    EXPECT_EQ(spans_of(known, "/a")[0].end, hold_end::released);
    EXPECT_EQ(spans_of(known, "/b")[0].end, std::nullopt);
    EXPECT_EQ(spans_of(known, "/c")[0].end, hold_end::unknown);
    EXPECT_EQ(spans_of(known, "/d")[0].end, hold_end::taken);
}

TEST(admin_history, a_session_that_is_seen_again_had_released) {
    history known;
    known.add({{lock("/a", {make_contender("x", 1)}), lock("/b", {make_contender("y", 2)})}, {}},
              at(1s));
    known.add({{}, {}}, at(2s));
    EXPECT_EQ(spans_of(known, "/a")[0].end, hold_end::unknown);
    known.add({{lock("/c", {make_contender("z", 3)}, {make_contender("x", 1)})}, {}}, at(9s));
    EXPECT_EQ(spans_of(known, "/a")[0].end, hold_end::released);
    EXPECT_EQ(spans_of(known, "/a")[0].to, at(2s));
    EXPECT_EQ(spans_of(known, "/b")[0].end, hold_end::unknown);
}

// `turnstile take` writes an order into the contender's znode, and the order ends the hold. `turnstile ask` writes a
// request into the znode, and the hold continues.
TEST(admin_history, an_order_in_the_znode_took_the_hold) {
    history known;
    auto ordered = make_contender("x", 1);
    auto asked = make_contender("y", 2);
    known.add({{lock("/a", {ordered}), lock("/b", {asked})}, {}}, at(1s));
    ordered.metadata.text =
        "host=web-1 pid=7 revoke=ask by=ops why=slow revoke=take by=ops why=stuck";
    asked.metadata.text = "host=web-1 pid=7 revoke=ask by=ops why=slow";
    known.add({{lock("/a", {ordered}), lock("/b", {asked})}, {}}, at(2s));
    known.add({{lock("/c", {make_contender("z", 2)})}, {}}, at(3s));
    EXPECT_EQ(spans_of(known, "/a")[0].end, hold_end::taken);
    EXPECT_EQ(spans_of(known, "/b")[0].end, hold_end::released);
}

TEST(admin_history, is_bounded) {
    history known{{.of_each = 3, .of_all = 10}};
    for (int i = 0; i != 20; ++i)
        known.add({{lock("/busy", {make_contender(std::to_string(i), 1)})}, {}},
                  at(std::chrono::seconds{i}));
    EXPECT_EQ(known.ended(), 3U);
    EXPECT_EQ(spans_of(known, "/busy").front().znode, "16");
    for (int i = 0; i != 20; ++i)
        known.add({{lock("/" + std::to_string(i), {make_contender("x", 1)})}, {}},
                  at(std::chrono::seconds{20 + i}));
    EXPECT_LE(known.ended(), 10U);
    EXPECT_LE(known.locks(), 11U);
    EXPECT_FALSE(known.of({"/busy", lock_kind::mutex}));
    EXPECT_TRUE(known.of({"/19", lock_kind::mutex}));
}

TEST(admin_distribution, percentiles_and_buckets) {
    std::vector<std::chrono::milliseconds> times;
    for (int i = 1; i <= 100; ++i) times.emplace_back(i);
    const auto all = distribution_of(times);
    EXPECT_EQ(all.count, 100U);
    EXPECT_EQ(all.p50, 50ms);
    EXPECT_EQ(all.p90, 90ms);
    EXPECT_EQ(all.p99, 99ms);
    EXPECT_EQ(all.longest, 100ms);
    ASSERT_EQ(all.buckets.size(), 4U);  // up to 10, 20, 50 and 100
    EXPECT_EQ(all.buckets[0].count, 10U);
    EXPECT_EQ(all.buckets[3].at_most, 100ms);
    EXPECT_EQ(all.buckets[3].count, 50U);
    EXPECT_TRUE(distribution_of({}).buckets.empty());
    const auto longest = distribution_of({1'000h}).buckets;
    ASSERT_EQ(longest.size(), 1U);
    EXPECT_FALSE(longest[0].at_most);
}

TEST(admin_survey_plan, requests_as_an_average) {
    const reading_settings settings{.refresh = 1s, .requests_per_second = 100};
    const boottime_clock::time_point start{1h};
    request_budget budget{settings, start};
    EXPECT_EQ(budget.allowed(start), 1'000U);  // ten seconds of unused requests
    budget.spend(1'000, start);
    EXPECT_EQ(budget.allowed(start), 0U);
    EXPECT_EQ(budget.allowed(start + 500ms), 50U);
    budget.spend(150, start + 500ms);  // above the budget, so later rounds read less
    EXPECT_EQ(budget.allowed(start + 1'400ms), 0U);
    EXPECT_EQ(budget.allowed(start + 1'600ms), 10U);
    EXPECT_EQ(budget.allowed(start + 1h), 1'000U);
}

TEST(admin_survey_plan, rounds) {
    EXPECT_EQ(round_size({.refresh = 1s, .requests_per_second = 100}), 100U);
    EXPECT_EQ(round_size({.refresh = 100ms, .requests_per_second = 100}), 10U);
    EXPECT_EQ(round_size({.refresh = 100ms, .requests_per_second = 1}), 1U);
}

TEST(admin_survey_plan, pauses) {
    const reading_settings settings{.refresh = 1s, .requests_per_second = 100};
    const auto pause = [&](const round_cost& cost, bool watched) {
        return pause_after(cost, settings, watched);
    };
    const round_cost whole{.took = 5ms, .complete = true, .allowed = 500};
    EXPECT_EQ(pause(whole, true), 1s);
    EXPECT_EQ(pause(whole, false), 10s);
    // Some contenders are still unread. If the limit on requests allows a whole further round, the pause is only as
    // long as the latest round took.
    EXPECT_EQ(pause({.took = 50ms, .complete = false, .allowed = 100}, true), 50ms);
    EXPECT_EQ(pause({.took = 50ms, .complete = false, .allowed = 30}, true), 700ms);
    EXPECT_EQ(pause({.took = 50ms, .complete = false, .allowed = 30}, false), 10s);
    EXPECT_EQ(pause({.took = 2s, .complete = true, .allowed = 500}, true), 2s);
}

TEST(admin_json, times_and_hostile_text) {
    EXPECT_EQ(utc(wall_time{} + 1ms), "1970-01-01T00:00:00.001Z");
    EXPECT_EQ(printed(json{{"text", "</script>\xff\n"}}), "{\"text\":\"</script>\\ufffd\\n\"}");
}

}  // namespace
}  // namespace turnstile::admin
