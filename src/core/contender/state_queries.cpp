// SPDX-License-Identifier: Apache-2.0
#include "core/contender/state_queries.hpp"

#include <type_traits>
#include <variant>

namespace turnstile::core {

const state::standing* standing_in(const contender_state& current) noexcept {
    return std::visit(
        [](const auto& alternative) -> const state::standing* {
            using alternative_state = std::decay_t<decltype(alternative)>;
            if constexpr (std::is_base_of_v<state::standing, alternative_state>) {
                return &alternative;
            } else {
                return nullptr;
            }
        },
        current);
}

bool enters(const contender_state& current) noexcept {
    return std::holds_alternative<state::outside>(current) ||
           std::holds_alternative<state::creating>(current);
}

bool stands(const contender_state& current) noexcept {
    return std::holds_alternative<state::queued>(current) ||
           std::holds_alternative<state::first>(current) ||
           std::holds_alternative<state::held>(current);
}

bool waits_in_line(const contender_state& current) noexcept {
    return std::holds_alternative<state::queued>(current);
}

bool needs_confirmation(const contender_state& current) noexcept {
    return holds_or_has_one_ahead(current) || awaits_lease(current);
}

bool awaits_lease(const contender_state& current) noexcept {
    const auto* const waiter = std::get_if<state::queued>(&current);
    if (waiter == nullptr) return std::holds_alternative<state::first>(current);
    return waiter->ahead == 0U || waiter->low_water.reads();
}

bool holds_or_has_one_ahead(const contender_state& current) noexcept {
    const auto* const waiter = std::get_if<state::queued>(&current);
    return waiter == nullptr ? std::holds_alternative<state::held>(current) : waiter->ahead == 1U;
}

bool watches_itself(const contender_state& current, std::uint64_t connection) noexcept {
    const auto* const place = standing_in(current);
    return place != nullptr && (place->own.sets_watch() || place->own.is_watched_on(connection));
}

std::optional<time_point> delay_end(const contender_state& current) noexcept {
    const auto* const waiter = std::get_if<state::first>(&current);
    return waiter == nullptr ? std::nullopt : waiter->delay->end();
}

const contender_ahead* nearest_ahead(const contender_state& current) noexcept {
    const auto* const waiter = std::get_if<state::queued>(&current);
    return waiter != nullptr && waiter->seen_ahead.changed() ? &*waiter->seen_ahead : nullptr;
}

std::string znode_ahead(const contender_state& current, const std::string& folder) {
    const auto* const waiter = std::get_if<state::queued>(&current);
    if (waiter == nullptr || waiter->ahead != 1U || waiter->awaited.empty()) return {};
    return waiter->awaited.begin()->path(folder);
}

bool settled(const contender_state& current) noexcept {
    const auto* const hold = std::get_if<state::held>(&current);
    return hold != nullptr && !hold->unannounced && !hold->announcing && !hold->rename->is_wanted();
}

std::int32_t version_in(const contender_state& current) noexcept {
    const auto* const place = standing_in(current);
    return place == nullptr ? 0 : place->version;
}

}  // namespace turnstile::core
