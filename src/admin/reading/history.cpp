// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/history.hpp"

#include <algorithm>
#include <functional>

#include "turnstile/revocation.hpp"

namespace turnstile::admin {
namespace {

constexpr std::size_t k_most_taken = 1'000;

std::size_t znode_hash(const std::string& path, const std::string& znode) {
    return std::hash<std::string>{}(path + '/' + znode);
}

hold_span span_of(const contender& holder) {
    hold_span span;
    span.znode = holder.name;
    span.token = holder.token;
    span.session = holder.session_id;
    span.host = holder.metadata.host;
    span.pid = holder.metadata.pid;
    span.label = holder.metadata.label;
    span.created = holder.created;
    return span;
}

}  // namespace

const char* to_string(hold_end end) noexcept {
    switch (end) {
        case hold_end::released: return "released";
        case hold_end::taken: return "taken";
        case hold_end::unknown: return "unknown";
    }
    return "unknown";
}

void history::add(const lock_survey& survey, wall_time as_of) {
    znodes holding;
    znodes waiting;
    sessions present;
    for (const auto& lock : survey.locks) {
        for (const auto& each : lock.holders) {
            holding.insert(znode_hash(lock.path, each.name));
            present.insert(each.session_id);
        }
        for (const auto& each : lock.waiters) {
            waiting.insert(znode_hash(lock.path, each.name));
            present.insert(each.session_id);
        }
    }
    end_missing(holding, present, as_of);
    for (const auto& lock : survey.locks) note_holders(lock, as_of);
    waiting_ = std::move(waiting);
    forget_oldest();
}

void history::end_missing(const znodes& holding, const sessions& present, wall_time as_of) {
    for (auto& [key, spans] : locks_) {
        const auto lasts = [&holding, &path = key.first](const hold_span& span) {
            return holding.contains(znode_hash(path, span.znode));
        };
        const auto over = std::stable_partition(spans.lasting.begin(), spans.lasting.end(), lasts);
        for (auto each = over; each != spans.lasting.end(); ++each)
            end(key, spans, std::move(*each), present, as_of);
        spans.lasting.erase(over, spans.lasting.end());
        // Servers do not reuse session ids, so a session that is seen again had not ended.
        for (auto& span : spans.ended)
            if (span.end == hold_end::unknown && present.contains(span.session))
                span.end = hold_end::released;
    }
}

void history::end(const lock_key& key, lock_spans& spans, hold_span span, const sessions& present,
                  wall_time as_of) {
    const bool taken = taken_.erase(znode_hash(key.first, span.znode)) > 0 || span.ordered;
    span.to = std::max(as_of, span.from);
    span.end = taken                            ? hold_end::taken
               : present.contains(span.session) ? hold_end::released
                                                : hold_end::unknown;
    span.number = ++numbers_;
    order_.emplace_back(key, span.number);
    spans.ended.push_back(std::move(span));
    ++ended_;
    if (spans.ended.size() <= bounds_.of_each) return;
    spans.ended.pop_front();
    --ended_;
}

void history::note_holders(const surveyed_lock& lock, wall_time as_of) {
    if (lock.holders.empty()) return;
    auto& spans = locks_[{lock.path, lock.kind}];
    for (const auto& holder : lock.holders) {
        const auto known = [&](const hold_span& span) { return span.znode == holder.name; };
        if (const auto found = std::find_if(spans.lasting.begin(), spans.lasting.end(), known);
            found != spans.lasting.end()) {
            found->ordered = found->ordered || is_ordered_away(holder);
            continue;
        }
        auto span = span_of(holder);
        span.ordered = is_ordered_away(holder);
        span.waited = waiting_.contains(znode_hash(lock.path, holder.name));
        span.from = span.waited ? std::max(as_of, span.created) : span.created;
        spans.lasting.push_back(std::move(span));
    }
}

void history::forget_oldest() {
    while (order_.size() > bounds_.of_all) {
        const auto [key, number] = std::move(order_.front());
        order_.pop_front();
        const auto found = locks_.find(key);
        if (found == locks_.end()) continue;
        auto& ended = found->second.ended;
        if (ended.empty() || ended.front().number != number) continue;  // already forgotten
        ended.pop_front();
        --ended_;
        if (ended.empty() && found->second.lasting.empty()) locks_.erase(found);
    }
}

void history::note_taken(const lock_key& lock, const std::string& znode) {
    if (taken_.size() >= k_most_taken) taken_.clear();
    taken_.insert(znode_hash(lock.first, znode));
}

std::optional<std::vector<hold_span>> history::of(const lock_key& lock) const {
    const auto found = locks_.find(lock);
    if (found == locks_.end()) return std::nullopt;
    std::vector<hold_span> all{found->second.ended.begin(), found->second.ended.end()};
    all.insert(all.end(), found->second.lasting.begin(), found->second.lasting.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.from < b.from; });
    return all;
}

std::optional<wall_time> history::held_since(const lock_key& lock) const {
    const auto found = locks_.find(lock);
    if (found == locks_.end() || found->second.lasting.empty()) return std::nullopt;
    const auto& lasting = found->second.lasting;
    return std::min_element(lasting.begin(), lasting.end(),
                            [](const auto& a, const auto& b) { return a.from < b.from; })
        ->from;
}

}  // namespace turnstile::admin
