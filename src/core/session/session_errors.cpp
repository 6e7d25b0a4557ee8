// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_errors.hpp"

#include <chrono>

#include "core/contender/contender_errors.hpp"
#include "core/contender/state_queries.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile::core {

namespace {

// Returns a text like "1 contender ahead when last seen, the holder: web1, pid 12, since ...". If the only contender
// ahead is of the caller's own client, the text says so.
std::string line_of(std::size_t ahead, const contender_ahead* nearest) {
    auto text = std::to_string(ahead) + (ahead == 1 ? " contender ahead when last seen"
                                                    : " contenders ahead when last seen");
    if (nearest == nullptr) return text;
    const bool waits_for_itself = nearest->is_own && ahead == 1;
    if (waits_for_itself) text = "this client holds the lock already";
    if (nearest->claims.empty()) return text;
    if (!waits_for_itself) text += ahead == 1 ? ", the holder" : ", the nearest";
    return text + ": " + nearest->claims;
}

}  // namespace

error deadline_error(const session_owners& owners, const std::string& subject,
                     std::optional<std::size_t> ahead, const contender_ahead* nearest) {
    if (!owners.link.attached())
        return owners.epochs.away_error(subject, owners.link.session_id() == 0);
    const std::string from =
        owners.link.server() +
        (owners.requests.is_throttled() ? ", which throttles: it discards requests" : "");
    if (!ahead) return {errc::timeout, subject + ": no answer from " + from};
    if (*ahead == 0) {
        return {
            errc::timeout,
            subject + ": the waiter is first in line, but its lease was not confirmed by " + from};
    }
    return {errc::timeout, subject + ": " + line_of(*ahead, nearest)};
}

error deadline_error(const session_owners& owners, const contender_core& late) {
    if (!delay_end(late.current()))
        return deadline_error(owners, late.folder(), late.ahead(), nearest_ahead(late.current()));
    return {errc::timeout, late.folder() +
                               ": the waiter is first in line, but the lock delay after the crash "
                               "of a holder is not over"};
}

namespace {

constexpr std::chrono::seconds k_patience_with_own_hold{5};

const contender_core* own_hold(const session_owners& owners, const std::string& folder,
                               const std::string& znode) {
    const auto& table = owners.contenders.table();
    for (const auto id : table.holding())
        if (const auto& hold = table.at(id); hold.folder() == folder && hold.znode() == znode)
            return &hold;
    return nullptr;
}

std::string claims_of(const contender_core& own) {
    return text_of_claims(contender_metadata::parse(own.data()), true);
}

bool is_same_owner(const contender_core& a, const contender_core& b) {
    const auto owner = contender_metadata::parse(a.data()).owner;
    return !owner.empty() && owner == contender_metadata::parse(b.data()).owner;
}

}  // namespace

error busy_error(const session_owners& owners, const std::string& folder, std::size_t ahead,
                 const std::string& predecessor) {
    const auto* const own = predecessor.empty() ? nullptr : own_hold(owners, folder, predecessor);
    if (own == nullptr)
        return {errc::busy, folder + ": contenders ahead: " + std::to_string(ahead)};
    return {errc::busy, folder + ": this client holds the lock already: " + claims_of(*own)};
}

void note_wait_for_own_hold(session_owners& owners, contender_id id) {
    auto* const waiter = owners.contenders.find(id);
    if (waiter == nullptr || waiter->deadline) return;
    const auto& value = waiter->value;
    const auto* const nearest = nearest_ahead(value.current());
    if (nearest == nullptr || !nearest->is_own) return;
    const auto* const own =
        own_hold(owners, value.folder(), znode_ahead(value.current(), value.folder()));
    if (own == nullptr || !is_same_owner(*own, value)) return;
    const auto interval = owners.link.confirm_interval();
    // Does not count the waiter's first repeated read (second look), which may follow the call at once.
    const auto waited = waiter->looks_at_own_hold++ * interval;
    if (waited < k_patience_with_own_hold || waited - interval >= k_patience_with_own_hold) return;
    owners.basics.actions.emplace_back(
        warning{value.folder() +
                ": a call without a time limit waits for a hold of the same thread or owner: " +
                claims_of(*own) +
                "; if no other thread releases that hold, the wait never ends: release it before "
                "the call, or use a recursive_mutex"});
}

}  // namespace turnstile::core
