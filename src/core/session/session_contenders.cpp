// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_contenders.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "core/contender/state_queries.hpp"

namespace turnstile::core {

namespace {

constexpr std::size_t k_most_in_line = 64;  // contenders that read again in one interval
constexpr std::size_t k_most_behind = 16;

}  // namespace

std::vector<contender_id> second_looks::take(const contender_table& contenders, bool in_line,
                                             std::size_t most, contender_id& latest) {
    std::vector<contender_id> chosen;
    const auto& all = contenders.all();
    auto at = all.upper_bound(latest);
    for (auto left = all.size(); left != 0 && chosen.size() != most; --left, ++at) {
        if (at == all.end()) at = all.begin();
        const auto& contender = at->second.value;
        if (contender.rests_on_events() && holds_or_has_one_ahead(contender.current()) == in_line)
            chosen.push_back(at->first);
    }
    TURNSTILE_CHECK(chosen.size() <= most);
    if (!chosen.empty()) latest = chosen.back();
    return chosen;
}

std::vector<contender_id> second_looks::take_in_line(const contender_table& contenders) {
    return take(contenders, true, k_most_in_line, latest_in_line_);
}

std::vector<contender_id> second_looks::take_further_back(const contender_table& contenders) {
    return take(contenders, false, k_most_behind, latest_further_back_);
}

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

namespace {

// The largest number of folders for which a session warns that several kinds of locks use the same folder.
constexpr std::size_t k_most_mixed_folders = 64;

confirmation_needs needs_of(const contender_table& contenders) {
    return {!contenders.empty(), !contenders.confirming().empty(), !contenders.holding().empty(),
            !contenders.awaiting_lease().empty()};
}

}  // namespace

// ---- the contenders -------------------------------------------------------------------------

void session_contenders::add(contender_id id, contender_entry&& added, time_point now) {
    TURNSTILE_CHECK(table_.find(id) == nullptr);
    if (table_.empty()) looks_.begin(now);
    table_.add(id, std::move(added));
}

void session_contenders::add(const acquire& request, session_basics& basics) {
    add(request.id, contender_entry{contender_core{request.settings}, request.deadline},
        basics.now);
    clock_.add(request.id, request.warn_before, request.max_hold);
    if (request.deadline) basics.deadlines.add(*request.deadline, request.id);
}

contender_id session_contenders::add_leftover(const std::string& folder, const std::string& name,
                                              time_point now) {
    const contender_id id{k_first_leftover + leftovers_++};
    add(id, contender_entry{contender_core::leftover(folder, name)}, now);
    return id;
}

bool session_contenders::update(contender_id id, const contender_entry& changed,
                                claim_kind kind_before, std::uint64_t connection,
                                session_basics& basics) {
    const auto& value = changed.value;
    TURNSTILE_CHECK(!value.holds() || !value.waits());
    TURNSTILE_CHECK(!value.over() || !value.holds());
    if (changed.deadline && !value.waits()) basics.deadlines.remove(*changed.deadline, id);
    clock_.update(id, value.holds(), delay_end(value.current()));
    const bool first = table_.update(id, value, kind_before, connection);
    if (first && connection_) connection_->confirmations.first_needed(basics.now);
    const bool may_write = connection_ && settled(value.current());
    if (value.over()) {
        clock_.forget(id);
        table_.erase(id);
    }
    return may_write;
}

bool session_contenders::have_stakes() const {
    const auto& all = table_.all();
    return std::any_of(all.begin(), all.end(), [](const auto& entry) {
        const contender_core& each = entry.second.value;
        return stands(each.current()) || each.fails_with_session();
    });
}

bool session_contenders::is_first_mixed(const std::string& folder) {
    auto& told = mixed_folders_;
    if (told.size() >= k_most_mixed_folders) return false;
    if (std::find(told.begin(), told.end(), folder) != told.end()) return false;
    told.push_back(folder);
    return true;
}

// ---- sessions at the servers (epochs), and their connections --------------------------------

void session_contenders::leave() {
    connection_.reset();
    latest_confirmed_ = {};
}

void session_contenders::attach(time_point now, duration confirm_interval) {
    connection_ = {{now, confirm_interval}};
    looks_.begin(now);
}

contender_id session_contenders::take_behind() {
    const auto id = *connection_->behind.begin();
    keep(connection_->behind, id, false);
    return id;
}

// ---- warnings, and ends of holds by their time limits ----------------------------------------

void session_contenders::warn_holders(time_point lease_end, session_basics& basics) {
    for (const auto id : clock_.take_warnings(basics.now, lease_end))
        basics.actions.emplace_back(notice{id, expiring{}});
}

// ---- confirmations: writes that extend the lease --------------------------------------------

std::optional<time_point> session_contenders::confirmation_due(const confirmation_pace& pace,
                                                               const lease& session,
                                                               time_point last_write,
                                                               time_point now) const {
    if (!connection_) return std::nullopt;  // place: confirmation_is_due
    return connection_->confirmations.due(pace, session, needs_of(table_), last_write, now);
}

std::optional<contender_id> session_contenders::begin_confirmation(time_point now) {
    TURNSTILE_CHECK(connection_);
    connection_->confirmations.begin(now);
    const auto next = table_.next_to_confirm(latest_confirmed_);
    if (next) latest_confirmed_ = *next;
    return next;
}

}  // namespace turnstile::core
