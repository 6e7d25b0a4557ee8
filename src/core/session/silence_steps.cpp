// SPDX-License-Identifier: Apache-2.0
#include "core/session/silence_steps.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "core/contender/state_queries.hpp"

namespace turnstile::core {

void silence_steps::look() {
    TURNSTILE_CHECK(life_.attached());
    life_.silence.look(life_.now);
    if (!lease_outlives_move()) return;
    life_.actions.emplace_back(
        look_elsewhere{life_.attached()->number, life_.silence.longest_look(life_.now)});
}

void silence_steps::found_elsewhere(const link_event& event) {
    const auto* const connection = life_.attached();
    if (!connection || connection->number != event.connection || life_.closing) return;
    life_.silence.found(life_.now);
    if (!life_.silence.may_leave(life_.now, life_.lease.timeout()) || !lease_outlives_move())
        return;
    life_.silence.leave(life_.now);
    life_.actions.emplace_back(leave_server{connection->number});  // place: silent_server_is_left
}

bool silence_steps::has_stakes() const {
    const auto& all = life_.contenders.all();
    return std::any_of(all.begin(), all.end(), [](const auto& entry) {
        const acquisition& each = entry.second.value;
        return stands(each.current()) || each.fails_with_session();
    });
}

// An attach after the end of the lease replaces the session.
bool silence_steps::lease_outlives_move() const {
    const auto& lease = life_.lease;
    return !has_stakes() || lease.valid(life_.now + life_.silence.limit(lease.timeout()));
}

}  // namespace turnstile::core
