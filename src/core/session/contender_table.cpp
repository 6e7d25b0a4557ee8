// SPDX-License-Identifier: Apache-2.0
#include "core/session/contender_table.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "core/contender/state_queries.hpp"

namespace turnstile::core {

contender_entry* contender_table::find(contender_id id) {
    const auto found = all_.find(id);
    return found == all_.end() ? nullptr : &found->second;
}

const contender_entry* contender_table::find(contender_id id) const {
    const auto found = all_.find(id);
    return found == all_.end() ? nullptr : &found->second;
}

void contender_table::add(contender_id id, contender_entry&& added) {
    owned_bytes_ += added.value.owned_bytes();
    const bool is_new = all_.emplace(id, std::move(added)).second;
    TURNSTILE_CHECK(is_new);
    static_cast<void>(is_new);
}

// A contender that is next in line watches its own znode, so that its grant needs no get of the znode. If very many
// contenders, each on another path, set these watches, the client would use a quarter more memory, and the servers
// would also use more. So beyond the limit a contender sets no watch, and sends the get before its grant.
bool contender_table::is_to_be_watched(const contender_core& changed,
                                       std::uint64_t connection) const {
    if (!needs_confirmation(changed.current()) || watches_itself(changed.current(), connection))
        return false;
    if (changed.holds() || awaits_lease(changed.current())) return true;
    return confirming_.size() <= holding_.size() + watched_in_line_;
}

bool contender_table::update(contender_id id, const contender_core& changed, claim_kind kind_before,
                             std::uint64_t connection) {
    if (changed.over() || changed.kind() != kind_before) {
        TURNSTILE_CHECK(owned_bytes_ >= changed.bytes_as(kind_before));
        owned_bytes_ = owned_bytes_ - changed.bytes_as(kind_before) + changed.owned_bytes();
    }
    const bool confirms = needs_confirmation(changed.current());
    const bool first = confirms && confirming_.empty();
    keep(confirming_, id, confirms);
    keep(awaiting_lease_, id, awaits_lease(changed.current()));
    keep(holding_, id, changed.holds());
    keep(outside_, id, changed.waits_to_enter());
    keep(unwatched_, id, is_to_be_watched(changed, connection));
    return first;
}

std::optional<contender_id> contender_table::next_to_confirm(contender_id latest) const {
    if (!confirming_.empty()) {
        const auto next = confirming_.upper_bound(latest);
        return next == confirming_.end() ? *confirming_.begin() : *next;
    }
    const auto is_in_line = [](const auto& entry) { return stands(entry.second.value.current()); };
    const auto from = all_.upper_bound(latest);
    if (const auto next = std::find_if(from, all_.end(), is_in_line); next != all_.end())
        return next->first;
    const auto next = std::find_if(all_.begin(), from, is_in_line);
    return next == from ? std::nullopt : std::optional{next->first};
}

}  // namespace turnstile::core
