// SPDX-License-Identifier: Apache-2.0
#include "core/session/effect_steps.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "base/check.hpp"
#include "core/contender/refusals.hpp"
#include "core/session/request_steps.hpp"

namespace turnstile::core {

// ---- requests -------------------------------------------------------------------------------

void effect_steps::operator()(contender_effects::submit& wanted) const {
    request_steps{life_}.send_as(wanted.request.id, std::move(wanted.request.op),
                                 for_contender{id_});
}

void effect_steps::operator()(contender_effects::enter& wanted) const {
    request_steps{life_}.create_for({id_, wanted.id, std::move(wanted.znode)});
}

void effect_steps::operator()(contender_effects::list& wanted) const {
    request_steps{life_}.list_for({id_, wanted.id}, std::move(wanted.folder));
}

void effect_steps::operator()(contender_effects::remove& wanted) const {
    request_steps{life_}.remove_for(
        {id_, wanted.id, std::move(wanted.path), std::move(wanted.watched)});
}

void effect_steps::operator()(const contender_effects::retry_later& /*wanted*/) const {
    request_steps{life_}.retry_later();
}

// ---- watches --------------------------------------------------------------------------------

void effect_steps::operator()(const contender_effects::watch& wanted) const {
    TURNSTILE_CHECK(life_.epoch);
    life_.epoch->watches.add(wanted.path, id_);
}

// The watches of an epoch that is over went with it.
void effect_steps::operator()(const contender_effects::unwatch& wanted) const {
    if (life_.epoch && life_.epoch->watches.remove(wanted.path, id_)) give_back(wanted.path);
}

void effect_steps::operator()(const contender_effects::unwatch_gone& wanted) const {
    if (life_.epoch && life_.epoch->watches.remove_unset(wanted.path, id_)) give_back(wanted.path);
}

void effect_steps::give_back(const std::string& path) const {
    TURNSTILE_CHECK(life_.epoch);
    if (life_.attached()) {
        life_.actions.emplace_back(forget_watches{path});  // place: watch_given_back
    } else {
        life_.epoch->watches.give_back_later(path);  // place: watch_given_back_later
    }
}

// ---- what was found out ---------------------------------------------------------------------

void effect_steps::operator()(const contender_effects::warn_of_foreign& found) const {
    const auto& folder = life_.contenders.at(id_).folder();
    auto& told = life_.mixed_folders;
    if (told.size() >= k_most_mixed_folders) return;
    if (std::find(told.begin(), told.end(), folder) != told.end()) return;
    told.push_back(folder);
    life_.actions.emplace_back(warning{foreign_kind(folder, found.ours, found.theirs)});
}

void effect_steps::operator()(const contender_effects::containers_unsupported& /*found*/) const {
    life_.containers_refused = true;
}

void effect_steps::operator()(const contender_effects::parent_create_lost& /*found*/) const {
    life_.containers_doubted = true;
}

void effect_steps::operator()(const contender_effects::abandon& wanted) const {
    TURNSTILE_CHECK(life_.epoch);
    const auto& folder = life_.contenders.at(id_).folder();
    // place: remembers_abandoned_create
    life_.epoch->abandoned.add(folder, wanted.guid, life_.now, life_.lease.timeout());
}

void effect_steps::operator()(contender_effects::replace_session& wanted) const {
    TURNSTILE_CHECK(life_.epoch);
    life_.epoch->replacement = std::move(wanted.reason);
}

// ---- callers --------------------------------------------------------------------------------

void effect_steps::operator()(contender_effects::tell& told) const {
    if (static_cast<std::uint64_t>(id_) >= k_first_leftover) return;
    if (auto* const grant = std::get_if<granted>(&told.event)) {
        TURNSTILE_CHECK(life_.lease.valid(life_.now));
        // place: max_hold_from_the_grant
        grant->until = life_.clock.granted(id_, life_.now);
    }
    if (const auto* const over = std::get_if<lost>(&told.event))
        life_.commits.hold_was_lost(id_, over->why);
    life_.actions.emplace_back(notice{id_, std::move(told.event)});
}

}  // namespace turnstile::core
