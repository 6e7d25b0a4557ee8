// SPDX-License-Identifier: Apache-2.0
#include "admin/api/events.hpp"

#include <chrono>
#include <utility>

#include "admin/api/overview.hpp"

namespace turnstile::admin {
namespace {

constexpr std::chrono::seconds k_keep_alive{15};

std::string event(const char* name, std::uint64_t version, const json& data) {
    return "event: " + std::string{name} + "\nid: " + std::to_string(version) +
           "\ndata: " + printed(data) + "\n\n";
}

const surveyed_lock* lock_in(const shared_snapshot& seen, const lock_key& key) {
    if (!seen) return nullptr;
    const auto place = place_of(seen->survey, key.first, key.second);
    return place ? &seen->survey.locks[*place] : nullptr;
}

bool same(const surveyed_lock* a, const surveyed_lock* b) {
    return a == nullptr || b == nullptr ? a == b : same_queue(*a, *b);
}

}  // namespace

event_stream::event_stream(site& at, std::optional<lock_key> lock, std::function<bool()> stays)
    : at_{at}, lock_{std::move(lock)}, stays_{std::move(stays)}, last_{boottime_clock::now()} {}

std::string event_stream::changed(const view& seen) {
    const auto before = std::exchange(told_, seen.seen);
    if (!seen.seen || before == seen.seen) return {};
    json data{{"as_of", utc(seen.seen->as_of)}};
    if (!lock_) data["totals"] = json_of(seen.seen->totals);
    data["version"] = seen.seen->version;
    if (!lock_) return event("overview", seen.seen->version, data);
    if (before && same(lock_in(before, *lock_), lock_in(seen.seen, *lock_))) return {};
    return event("lock", seen.seen->version, data);
}

std::string event_stream::events(const view& seen) {
    std::string text = changed(seen);
    const bool turned = stale_ ? *stale_ != seen.stale : seen.stale;
    stale_ = seen.stale;
    if (turned)
        text += event(seen.stale ? "stale" : "fresh", seen.seen ? seen.seen->version : 0,
                      {{"problem", seen.problem}});
    return text;
}

std::optional<std::string> event_stream::next() {
    if (at_.reading.over() || !stays_()) return std::nullopt;
    std::string text;
    if (!std::exchange(begun_, true)) text = "retry: 2000\n\n";
    if (lock_) at_.reading.look_at(lock_->first);
    const auto seen = at_.reading.look();
    if (seen.change != std::exchange(change_, seen.change)) text += events(seen);
    const auto now = boottime_clock::now();
    if (text.empty() && now - last_ >= k_keep_alive) text = ": still there\n\n";
    if (!text.empty()) last_ = now;
    return text;
}

}  // namespace turnstile::admin
