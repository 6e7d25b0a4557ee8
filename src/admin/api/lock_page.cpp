// SPDX-License-Identifier: Apache-2.0
#include "admin/api/lock_page.hpp"

#include <algorithm>

#include "admin/api/aged_json.hpp"
#include "admin/api/changes.hpp"
#include "admin/api/lock_filter.hpp"
#include "admin/http/refusal.hpp"

namespace turnstile::admin {
namespace {

constexpr std::size_t k_spans = 200;

// If the request names no kind, returns the kind of the path's first lock.
lock_kind kind_asked(const query& asked, const std::string& path, const snapshot& shown) {
    const auto word = asked.text("kind").value_or("");
    if (word.empty()) {
        for (const auto& each : shown.survey.locks)
            if (each.path == path) return each.kind;
        return lock_kind::mutex;
    }
    return lock_kind_named(word);
}

std::size_t read_of(const surveyed_lock& lock) {
    return lock.holders.size() + lock.waiters.size();
}

// Returns the queue from the snapshot. If the snapshot does not contain enough contenders, reads the queue from the
// servers.
surveyed_lock queue_of(site& at, const view& seen, const lock_key& key, std::size_t wanted) {
    const auto& shown = required(seen);
    const auto place = place_of(shown.survey, key.first, key.second);
    surveyed_lock lock{.path = key.first, .kind = key.second};
    if (place) lock = shown.survey.locks[*place];
    const bool enough = read_of(lock) >= std::min(lock.contenders, wanted);
    if (enough || seen.stale) return lock;
    for (auto& each : at.queues.read(key.first, wanted))
        if (each.kind == key.second) return std::move(each);
    return {.path = key.first, .kind = key.second};
}

struct queue_page {
    std::string contender;  // a contender's own text; empty: all
    std::size_t offset = 0;
    std::size_t limit = 0;

    [[nodiscard]] std::size_t wanted() const noexcept {
        return contender.empty() ? offset + limit + 1 : lock_reader::k_deepest;
    }
};

json page_of(const surveyed_lock& lock, const queue_page& page, wall_time now) {
    auto waiters = json::array();
    std::size_t matching = 0;
    for (std::size_t i = 0; i != lock.waiters.size(); ++i) {
        if (!page.contender.empty() && !says(lock.waiters[i], page.contender)) continue;
        if (matching++ < page.offset || waiters.size() == page.limit) continue;
        auto shown = aged(lock.waiters[i], now);
        shown["place"] = i + 1;
        waiters.push_back(std::move(shown));
    }
    return {{"total", page.contender.empty() ? waiters_of(lock) : matching},
            {"offset", page.offset},
            {"limit", page.limit},
            {"waiters", std::move(waiters)}};
}

json timeline_of(const std::vector<hold_span>& spans, wall_time from, wall_time to) {
    auto all = json::array();
    const auto first = spans.size() - std::min(k_spans, spans.size());
    for (auto i = first; i != spans.size(); ++i) all.push_back(json_of(spans[i]));
    return {{"from", utc(from)}, {"to", utc(to)}, {"spans", std::move(all)}};
}

json distributions_of(const std::vector<hold_span>& spans) {
    std::vector<std::chrono::milliseconds> holds;
    std::vector<std::chrono::milliseconds> waits;
    for (const auto& each : spans) {
        if (each.to) holds.emplace_back(age_ms(each.from, *each.to));
        if (each.waited) waits.emplace_back(age_ms(each.created, each.from));
    }
    return {{"hold_ms", json_of(distribution_of(std::move(holds)))},
            {"wait_ms", json_of(distribution_of(std::move(waits)))}};
}

// Returns each holder, with the longest duration of a take: the forced removal of the holder's znode. The page shows
// this duration before the user orders a take.
json holders_of(const client& servers, const surveyed_lock& lock, wall_time now) {
    auto all = json::array();
    for (const auto& each : lock.holders) {
        auto shown = aged(each, now);
        const auto longest = take_at_most(servers, lock.path, each);
        shown["take_at_most_ms"] = longest ? json(longest->count()) : json(nullptr);
        all.push_back(std::move(shown));
    }
    return all;
}

json shown_lock(const client& servers, const surveyed_lock& lock,
                const std::vector<hold_span>& spans, wall_time now) {
    json result{
        {"path", lock.path}, {"kind", to_string(lock.kind)}, {"contenders", lock.contenders}};
    result["permits"] = lock.permits ? json(*lock.permits) : json(nullptr);
    result["holders_total"] = lock.holders.size();
    result["waiters_total"] = waiters_of(lock);
    result["holders"] = holders_of(servers, lock, now);
    json held(nullptr);
    for (const auto& each : spans)
        if (!each.to && held.is_null()) held = age_ms(each.from, now);
    result["held_for_ms"] = lock.holders.empty() ? json(nullptr) : held;
    result["waited_ms"] =
        lock.waiters.empty() ? json(nullptr) : json(age_ms(lock.waiters.front().created, now));
    return result;
}

}  // namespace

json json_of(const distribution& times) {
    auto buckets = json::array();
    for (const auto& each : times.buckets)
        buckets.push_back({{"le_ms", each.at_most ? json(each.at_most->count()) : json(nullptr)},
                           {"count", each.count}});
    return {{"count", times.count},         {"p50", times.p50.count()},
            {"p90", times.p90.count()},     {"p99", times.p99.count()},
            {"max", times.longest.count()}, {"buckets", std::move(buckets)}};
}

json json_of(const hold_span& span) {
    return {{"znode", span.znode},
            {"host", span.host},
            {"pid", span.pid},
            {"label", span.label},
            {"token", span.token.to_string()},
            {"created", utc(span.created)},
            {"from", utc(span.from)},
            {"to", span.to ? json(utc(*span.to)) : json(nullptr)},
            {"end", span.end ? json(to_string(*span.end)) : json(nullptr)}};
}

json lock_page(site& at, const query& asked) {
    const auto path = lock_path(asked.required("path"));
    const queue_page page{asked.text("contender").value_or(""),
                          asked.number("offset", 0, {.least = 0, .most = lock_reader::k_deepest}),
                          page_size(asked)};
    at.reading.look_at(path);
    const auto seen = at.reading.look();
    const auto meta = meta_of(seen);
    const lock_key key{path, kind_asked(asked, path, required(seen))};
    const auto lock = queue_of(at, seen, key, page.wanted());
    const auto history = at.reading.from_history([&](const auto& known) { return known.of(key); });
    if (lock.contenders == 0 && !history)
        throw refusal{404, "no_such_lock",
                      key.first + ": the queue is empty, and this server has seen no holder"};
    const auto spans = history.value_or(std::vector<hold_span>{});
    const auto now = clock_of(seen);
    return {{"lock", shown_lock(at.servers, lock, spans, now)},
            {"waiters", page_of(lock, page, now)},
            {"history", history.has_value()},
            {"timeline", timeline_of(spans, at.reading.looking_since(), now)},
            {"distributions", distributions_of(spans)},
            {"meta", meta}};
}

}  // namespace turnstile::admin
