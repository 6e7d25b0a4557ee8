// SPDX-License-Identifier: Apache-2.0
#include "checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "text.hpp"

namespace demo {

namespace {

// "511 grants, none out of order", by comparing each with the one before.
template <class Items, class Before>
std::size_t out_of_order(const Items& items, Before before) {
    std::size_t bad = 0;
    for (std::size_t i = 1; i < items.size(); ++i) {
        if (!before(items[i - 1], items[i])) ++bad;
    }
    return bad;
}

}  // namespace

duration hand_over_limit(const run_settings& settings, event_kind cause) {
    const bool stopped = cause == event_kind::stopped;
    if (cause == event_kind::killed_guarded ||
        (!stopped && words_of(settings.servers).freed_at_once))
        return settings.session_timeout / 2;
    constexpr std::chrono::milliseconds k_machine{500};
    return settings.session_timeout + 2 * settings.tick + k_machine;
}

std::vector<int> sales_per_item(const run_record& run) {
    std::vector<int> times(static_cast<std::size_t>(run.settings.items), 0);
    for (const auto& s : run.sales) {
        if (s.item >= 1 && s.item <= run.settings.items) {
            ++times[static_cast<std::size_t>(s.item) - 1];
        }
    }
    return times;
}

check stock_is_empty(const run_record& run) {
    return {"the stock is exactly 0", run.stock_left == 0, fmt::format("{} left", run.stock_left)};
}

check nothing_sold_twice(const run_record& run) {
    const auto times = sales_per_item(run);
    const auto twice = std::count_if(times.begin(), times.end(), [](int n) { return n > 1; });
    const auto never = std::count(times.begin(), times.end(), 0);
    const bool passed = twice == 0 && never == 0 && run.sales.size() == times.size();
    return {"each item is sold once", passed,
            fmt::format("{} sales of {} items; twice or more: {}, never: {}", run.sales.size(),
                        times.size(), twice, never)};
}

check sales_in_order(const run_record& run) {
    const auto bad = out_of_order(run.sales, [](const sale& a, const sale& b) {
        return a.token < b.token && b.item == a.item - 1;
    });
    return {"sales file in the order of the grants", bad == 0 && !run.sales.empty(),
            fmt::format("{} lines; out of order: {}", run.sales.size(), bad)};
}

check one_holder_at_a_time(const run_record& run) {
    const auto holds = holds_of(run);
    const auto bad = out_of_order(
        holds, [](const hold& before, const hold& next) { return before.to <= next.from; });
    return {"one holder at a time", bad == 0 && !holds.empty(),
            fmt::format("{} holds; overlaps: {}", holds.size(), bad)};
}

check grants_in_queue_order(const run_record& run) {
    const auto holds = holds_of(run);
    const auto bad =
        out_of_order(holds, [](const hold& a, const hold& b) { return a.sequence < b.sequence; });
    const auto ends = holds.empty() ? std::string{"none"}
                                    : fmt::format("queue numbers {} to {}", holds.front().sequence,
                                                  holds.back().sequence);
    return {"grants in queue order", bad == 0 && !holds.empty(),
            fmt::format("{} grants, {}; overtaken: {}", holds.size(), ends, bad)};
}

check tokens_increase(const run_record& run) {
    const auto holds = holds_of(run);
    const auto bad =
        out_of_order(holds, [](const hold& a, const hold& b) { return a.token < b.token; });
    const auto ends = holds.empty() ? std::string{"none"}
                                    : fmt::format("{} to {}", holds.front().token.to_string(),
                                                  holds.back().token.to_string());
    return {"fencing tokens strictly increasing", bad == 0 && !holds.empty(),
            fmt::format("{}; not larger: {}", ends, bad)};
}

check killed_while_holding(const run_record& run, event_kind cause) {
    const std::string promise =
        cause == event_kind::killed_guarded ? "one with a guardian killed while it held"
        : cause == event_kind::killed_again ? "another worker killed while it held"
                                            : "one worker killed while it held";
    const auto killed = first_of(run, cause);
    if (!killed) return {promise, false, "nobody was killed"};
    const auto held = hold_at(run, killed->worker, killed->at);
    if (!held || held->how != ending::killed) return {promise, false, "it held nothing"};
    return {promise, true,
            fmt::format("worker {}, token {}", killed->worker, held->token.to_string())};
}

check handed_over_after(const run_record& run, event_kind cause) {
    const bool stopped = cause == event_kind::stopped;
    const auto promise = fmt::format("handed over after the {}",
                                     stopped                               ? "pause began"
                                     : cause == event_kind::killed_guarded ? "kill with a guardian"
                                     : cause == event_kind::killed_again   ? "second kill"
                                                                           : "kill");
    const auto found = hand_over_after(run, cause);
    if (!found) return {promise, false, "nobody was granted the lock afterwards"};
    const auto limit = hand_over_limit(run.settings, cause);
    return {promise, found->took <= limit,
            fmt::format("{} after SIG{}, to worker {}; limit {}", in_milliseconds(found->took),
                        stopped ? "STOP" : "KILL", found->next.worker, in_milliseconds(limit))};
}

check paused_holder_was_told(const run_record& run) {
    const std::string promise = "paused holder woke to find its lease over";
    const auto lost = after_pause(run, event_kind::lost);
    const auto resumed = first_of(run, event_kind::resumed);
    const auto next = hand_over_after(run, event_kind::stopped);
    if (!lost || !resumed || !next) return {promise, false, "valid() did not become false"};
    const time_point until{duration{lost->number}};
    return {promise, until <= next->next.from,
            fmt::format("valid() false; lease over {} before the next grant",
                        in_milliseconds(next->next.from - until))};
}

check paused_write_was_refused(const run_record& run) {
    const std::string promise = "its late write refused by its token";
    const auto refused = after_pause(run, event_kind::refused);
    if (!refused) return {promise, false, "no write was refused"};
    const bool sold = std::any_of(run.sales.begin(), run.sales.end(),
                                  [&](const sale& s) { return s.token == refused->token; });
    return {
        promise, !sold,
        fmt::format("token {}, the stock had seen {}", refused->token.to_string(), refused->text)};
}

check paused_worker_went_on(const run_record& run) {
    const std::string promise = "it went on selling in a new session";
    const auto stopped = first_of(run, event_kind::stopped);
    if (!stopped) return {promise, false, "nobody was paused"};
    const auto held = hold_at(run, stopped->worker, stopped->at);
    std::size_t sales = 0;
    std::uint64_t epoch = 0;
    for (const auto& h : holds_of(run)) {
        if (!held || h.worker != stopped->worker || h.epoch <= held->epoch) continue;
        epoch = h.epoch;
        sales += static_cast<std::size_t>(std::count_if(
            run.sales.begin(), run.sales.end(), [&](const sale& s) { return s.token == h.token; }));
    }
    return {promise, sales > 0,
            fmt::format("worker {}, session {}: {} sales", stopped->worker, epoch, sales)};
}

check server_kill_let_nobody_in(const run_record& run) {
    const std::string promise = "nobody else came in while the server was away";
    const auto killed = first_of(run, event_kind::server_killed);
    const auto back = first_of(run, event_kind::server_back);
    if (!killed || !back) return {promise, false, "no server was killed"};
    const auto held = hold_at(run, killed->worker, killed->at);
    if (!held || held->left < back->at) return {promise, false, "nothing was held all the time"};
    const auto holds = holds_of(run);
    const bool alone = std::none_of(holds.begin(), holds.end(), [&](const hold& other) {
        return other.token != held->token && other.from > held->from && other.from < held->to;
    });
    const bool sold = std::any_of(run.sales.begin(), run.sales.end(),
                                  [&](const sale& s) { return s.token == held->token; });
    const bool kept = held->how == ending::released;
    return {promise, alone && (kept ? sold : held->how == ending::lost),
            fmt::format("worker {} {}; the server was away for {}", killed->worker,
                        kept ? "held all the time, and sold" : "was told that its lease was over",
                        in_milliseconds(back->at - killed->at))};
}

namespace {

std::vector<check> checks_of_the_second_blow(const run_record& run) {
    switch (words_of(run.settings.servers).second) {
        case second_blow::server_kill: return {server_kill_let_nobody_in(run)};
        case second_blow::plain_kill:
            return {killed_while_holding(run, event_kind::killed_again),
                    handed_over_after(run, event_kind::killed_again)};
        case second_blow::guarded_kill: break;
    }
    return {killed_while_holding(run, event_kind::killed_guarded),
            handed_over_after(run, event_kind::killed_guarded)};
}

}  // namespace

std::vector<check> checks_with_lock(const run_record& run) {
    std::vector<check> all{stock_is_empty(run),
                           nothing_sold_twice(run),
                           sales_in_order(run),
                           one_holder_at_a_time(run),
                           grants_in_queue_order(run),
                           tokens_increase(run),
                           killed_while_holding(run, event_kind::killed),
                           handed_over_after(run, event_kind::killed)};
    const auto second = checks_of_the_second_blow(run);
    all.insert(all.end(), second.begin(), second.end());
    all.insert(all.end(), {handed_over_after(run, event_kind::stopped), paused_holder_was_told(run),
                           paused_write_was_refused(run), paused_worker_went_on(run)});
    return all;
}

check oversells(const run_record& run) {
    const auto times = sales_per_item(run);
    const auto twice = std::count_if(times.begin(), times.end(), [](int n) { return n > 1; });
    const auto most = times.empty() ? 0 : *std::max_element(times.begin(), times.end());
    return {"control: without the lock it oversells", run.sales.size() > times.size() && twice > 0,
            fmt::format("{} sales of {} items; up to {} times the same", run.sales.size(),
                        times.size(), most)};
}

bool all_passed(const std::vector<check>& checks) {
    return std::all_of(checks.begin(), checks.end(), [](const check& c) { return c.passed; });
}

}  // namespace demo
