// SPDX-License-Identifier: Apache-2.0
#include "core/session/contender_context.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "base/check.hpp"
#include "core/session/due_times.hpp"
#include "core/session/request_steps.hpp"
#include "core/session/session_errors.hpp"

namespace turnstile::core {

ticket contender_context::submit(operation&& op) {
    return request_steps{life_}.send(std::move(op), for_contender{id_});
}

ticket contender_context::enter(create_op&& znode) {
    return request_steps{life_}.create_for(id_, std::move(znode));
}

ticket contender_context::list(const std::string& folder) {
    return request_steps{life_}.list_for(id_, folder);
}

ticket contender_context::remove(const std::string& path, const std::vector<std::string>& watched) {
    return request_steps{life_}.remove_for(id_, path, watched);
}

bool contender_context::may_enter() const {
    const auto* connection = life_.attached();
    return connection != nullptr &&
           (connection->stay.now == stay::stage::settled || life_.lease.is_ample()) &&
           is_next_to_enter();
}

// Removals of the session's own go ahead of it: it would wait for these contenders in its queue.
bool contender_context::is_next_to_enter() const {
    const auto& outside = life_.contenders.outside();
    return life_.epoch->window.has_room() && !life_.epoch->removals.crowded() &&
           life_.attached()->behind.empty() && (outside.empty() || id_ <= *outside.begin());
}

std::optional<error> contender_context::no_lease() const {
    if (!due::has_come(due::no_lease(life_), life_)) return std::nullopt;
    return error{errc::lease_too_short, short_lease(life_)};
}

void contender_context::watch(const std::string& path) {
    TURNSTILE_CHECK(life_.epoch);
    life_.epoch->watches.add(path, id_);
}

// The watches of an epoch that is over went with it.
void contender_context::unwatch(const std::string& path) {
    if (life_.epoch && life_.epoch->watches.remove(path, id_)) give_back(path);
}

void contender_context::unwatch_gone(const std::string& path) {
    if (life_.epoch && life_.epoch->watches.remove_unset(path, id_)) give_back(path);
}

void contender_context::give_back(const std::string& path) {
    TURNSTILE_CHECK(life_.epoch);
    if (life_.attached()) {
        life_.actions.emplace_back(forget_watches{path});  // place: watch_given_back
    } else {
        life_.epoch->watches.give_back_later(path);  // place: watch_given_back_later
    }
}

bool contender_context::has_room_to_watch(std::size_t all, std::size_t more,
                                          std::size_t bytes) const {
    const auto& limits = life_.settings.watches;
    const auto added = bytes + more * life_.settings.chroot;
    // place: room_to_watch
    return all <= limits.permits && life_.watched_bytes() + added <= limits.bytes;
}

std::optional<error> contender_context::foreign_ahead(const std::string& folder,
                                                      contender_family ours,
                                                      contender_family theirs) {
    const auto policy = life_.settings.foreign_kinds;
    if (policy == foreign_kind_policy::ignore) return std::nullopt;
    auto text = foreign_kind(folder, ours, theirs);
    if (policy == foreign_kind_policy::refuse) return error{errc::bad_option, std::move(text)};
    auto& told = life_.mixed_folders;
    if (told.size() < k_most_mixed_folders &&
        std::find(told.begin(), told.end(), folder) == told.end()) {
        told.push_back(folder);
        life_.actions.emplace_back(warning{std::move(text)});
    }
    return std::nullopt;
}

void contender_context::abandon(const std::string& guid) {
    TURNSTILE_CHECK(life_.epoch);
    const auto& folder = life_.contenders.at(id_).folder();
    // place: remembers_abandoned_create
    life_.epoch->abandoned.add(folder, guid, life_.now, life_.lease.timeout());
}

void contender_context::replace_session(const std::string& reason) {
    TURNSTILE_CHECK(life_.epoch);
    life_.epoch->replacement = reason;
}

void contender_context::retry_later() {
    request_steps{life_}.retry_later();
}

void contender_context::tell(decltype(notice::event)&& event) {
    if (static_cast<std::uint64_t>(id_) >= k_first_leftover) return;
    if (auto* grant = std::get_if<granted>(&event)) {
        TURNSTILE_CHECK(life_.lease.valid(life_.now));
        // place: max_hold_from_the_grant
        grant->until = life_.clock.granted(id_, life_.now);
    }
    const auto* over = std::get_if<lost>(&event);
    const auto why = over == nullptr ? std::nullopt : std::optional{over->why};
    life_.actions.emplace_back(notice{id_, std::move(event)});
    if (why) life_.commits.hold_was_lost(id_, *why);
}

}  // namespace turnstile::core
