// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_contenders.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "core/contender/state_queries.hpp"

namespace turnstile::core {

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
