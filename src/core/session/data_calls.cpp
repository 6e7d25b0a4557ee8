// SPDX-License-Identifier: Apache-2.0
#include "core/session/data_calls.hpp"

#include <utility>

#include "base/check.hpp"

namespace turnstile::core {

guarded_writes* commit_table::writes_of(contender_id hold) {
    const auto found = writes_.find(hold);
    return found == writes_.end() ? nullptr : &found->second;
}

std::vector<contender_id> commit_table::holds() const {
    std::vector<contender_id> all;
    for (const auto& [hold, writes] : writes_) all.push_back(hold);
    return all;
}

bool commit_table::end_if_empty(contender_id hold) {
    const auto found = writes_.find(hold);
    if (found == writes_.end() || !found->second.empty()) return false;
    writes_.erase(found);
    return true;
}

void commit_table::hold_was_lost(contender_id hold, const error& why) {
    if (!has_writes(hold)) return;
    losses_.emplace(hold, why);
    keep(changed_, hold, true);
}

void commit_table::hold_has_settled(contender_id hold) {
    if (has_writes(hold)) keep(changed_, hold, true);
}

std::optional<error> commit_table::take_loss(contender_id hold) {
    auto found = losses_.extract(hold);
    return found ? std::optional{std::move(found.mapped())} : std::nullopt;
}

std::optional<contender_id> commit_table::take_changed() {
    if (changed_.empty()) return std::nullopt;
    const auto hold = *changed_.begin();
    keep(changed_, hold, false);
    return hold;
}

void commit_table::add(commit_id commit, const pending_commit& caller) {
    TURNSTILE_CHECK(!contains(commit));
    TURNSTILE_CHECK(!is_released(caller.hold));
    writes_.try_emplace(caller.hold);
    callers_.emplace(commit, caller);
}

std::optional<pending_commit> commit_table::take(commit_id commit) {
    const auto found = callers_.extract(commit);
    return found ? std::optional{found.mapped()} : std::nullopt;
}

std::optional<leave> commit_table::take_release(contender_id hold) {
    auto found = releases_.extract(hold);
    return found ? std::optional{std::move(found.mapped())} : std::nullopt;
}

}  // namespace turnstile::core
