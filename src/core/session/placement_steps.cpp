// SPDX-License-Identifier: Apache-2.0
#include "core/session/placement_steps.hpp"

#include "base/check.hpp"
#include "core/session/contender_steps.hpp"
#include "core/session/session_errors.hpp"

namespace turnstile::core {

namespace {

// A role may be old when the session arrives, and a leader may take no more connections.
constexpr int k_most_moves = 3;

bool leads(server_role role) noexcept {
    return role == server_role::leader || role == server_role::standalone;
}

}  // namespace

void placement_steps::begin(const link_event& event) {
    TURNSTILE_CHECK(life_.attached());
    life_.attached()->stay.since = life_.now;
    take_note(event);
    decide();
}

void placement_steps::learn(const link_event& event) {
    TURNSTILE_CHECK(life_.attached());
    auto& stay = life_.attached()->stay;
    const bool was_settled = stay.now == stay::stage::settled;
    if (life_.settings.roles_asked) stay.told = event.role;
    take_note(event);
    if (stay.now != stay::stage::seeking) decide();
    if (!was_settled) let_in();
}

// An attach tells a role or nothing; what is told later may be that the server does not tell it.
void placement_steps::take_note(const link_event& event) {
    auto& connection = *life_.attached();
    auto& lease = life_.lease;
    if (event.role != server_role::unknown) connection.stay.told = event.role;
    if (event.pace) connection.stay.pace = event.pace;
    if (life_.settings.roles_trusted) {
        connection.role = event.role;
        lease.role_known(event.connection, event.role, life_.now);
    }
    if (event.foreign) lease.server_unproven(event.connection);
    if (life_.settings.relay)
        lease.relay_bound_known(
            event.connection,
            relay_bound(*life_.settings.relay, connection.stay.pace, lease.timeout()));
}

void placement_steps::decide() {
    const auto& stay = life_.attached()->stay;
    if (stay.told && leads(*stay.told)) life_.epoch->moves = 0;
    if (!is_to_move()) return settle();
    if (!stay.told) return;  // place: role_awaited
    if (*stay.told == server_role::unknown || life_.epoch->moves >= k_most_moves) return settle();
    seek();
}

bool placement_steps::is_to_move() const {
    const auto& settings = life_.settings;
    const auto& told = life_.attached()->stay.told;
    if (life_.closing || !settings.roles_asked || (told && leads(*told))) return false;
    switch (settings.place) {
        case placement::anywhere: return false;
        case placement::at_the_leader: return true;
        case placement::automatic: return !life_.lease.is_ample();
    }
    return false;
}

void placement_steps::seek() {
    TURNSTILE_CHECK(life_.attached());
    TURNSTILE_CHECK(life_.epoch->moves < k_most_moves);
    auto& connection = *life_.attached();
    ++life_.epoch->moves;
    connection.stay.now = stay::stage::seeking;
    connection.stay.since = life_.now;
    life_.actions.emplace_back(seek_leader{connection.number});
}

void placement_steps::settle() {
    auto& stay = life_.attached()->stay;
    if (stay.now != stay::stage::settled) stay.since = life_.now;
    stay.now = stay::stage::settled;
    if (stay.told) warn_if_short();
}

void placement_steps::warn_if_short() {
    if (!life_.epoch || life_.epoch->short_lease_told) return;
    const auto& lease = life_.lease;
    if (lease.is_direct() || lease.timeout() >= lease.least_lasting_timeout()) return;
    life_.epoch->short_lease_told = true;
    life_.actions.emplace_back(warning{short_lease(life_)});
}

void placement_steps::let_in() {
    if (life_.attached()->stay.now != stay::stage::settled) return;
    contender_steps{life_}.go_on();  // place: lets_in
}

void placement_steps::stay_here(const link_event& event) {
    auto* connection = life_.attached();
    if (connection == nullptr || connection->number != event.connection) return;
    connection->stay.leader_missing = true;
    settle();
    let_in();
}

void placement_steps::on_time() {
    auto& stay = life_.attached()->stay;
    if (stay.now == stay::stage::settled) {
        life_.epoch->moves = k_most_moves - 1;
        return seek();
    }
    settle();
    let_in();
}

}  // namespace turnstile::core
