// SPDX-License-Identifier: Apache-2.0
#include "core/session/hold_clock.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace turnstile::core {

void hold_clock::add(contender_id id, duration warn_before, duration max_hold) {
    if (warn_before <= duration{} && max_hold <= duration{}) return;
    TURNSTILE_CHECK(!limits_.contains(id));
    auto& added = limits_[id];
    added.warn_before = std::max(warn_before, duration{});
    added.max_hold = std::max(max_hold, duration{});
}

std::optional<time_point> hold_clock::granted(contender_id id, time_point now) {
    const auto found = limits_.find(id);
    if (found == limits_.end() || found->second.max_hold <= duration{}) return std::nullopt;
    TURNSTILE_CHECK(!found->second.hold_end);
    const auto end = now + found->second.max_hold;
    found->second.hold_end = end;
    ends_.add(end, id);  // place: max_hold_is_awaited
    return end;
}

void hold_clock::update(contender_id id, bool holds, std::optional<time_point> delay_end) {
    auto found = limits_.find(id);
    if (found == limits_.end()) {
        if (!delay_end) return;
        found = limits_.try_emplace(id).first;
    }
    auto& changed = found->second;
    if (!holds && changed.hold_end) ends_.remove(*std::exchange(changed.hold_end, {}), id);
    if (delay_end != changed.delay_end) {
        if (changed.delay_end) delay_ends_.remove(*changed.delay_end, id);
        if (delay_end) delay_ends_.add(*delay_end, id);
        changed.delay_end = delay_end;
    }
    TURNSTILE_CHECK(!holds || !delay_end);
    keep(warned_ahead_, id, holds && changed.warn_before > duration{});
    if (changed == limits{}) limits_.erase(found);
}

void hold_clock::forget(contender_id id) {
    update(id, false, std::nullopt);
    limits_.erase(id);
    TURNSTILE_CHECK(!warned_ahead_.contains(id));
}

time_point hold_clock::warning_time(const limits& hold, time_point lease_end) {
    return std::min(lease_end, hold.hold_end.value_or(time_point::max())) - hold.warn_before;
}

std::optional<time_point> hold_clock::next_warning(time_point lease_end) const {
    std::optional<time_point> next;
    for (const auto id : warned_ahead_) {
        const auto& hold = limits_.at(id);
        if (hold.warned) continue;
        const auto time = warning_time(hold, lease_end);
        next = std::min(time, next.value_or(time));
    }
    return next;
}

std::vector<contender_id> hold_clock::take_warnings(time_point now, time_point lease_end) {
    std::vector<contender_id> due;
    for (const auto id : warned_ahead_) {
        auto& hold = limits_.at(id);
        const bool near = warning_time(hold, lease_end) <= now;
        if (near && !hold.warned) due.push_back(id);
        hold.warned = near;
    }
    return due;
}

}  // namespace turnstile::core
