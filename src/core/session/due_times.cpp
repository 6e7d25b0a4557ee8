// SPDX-License-Identifier: Apache-2.0
#include "core/session/due_times.hpp"

#include <algorithm>
#include <chrono>

#include "base/check.hpp"

namespace turnstile::core::due {

namespace {

// A session that no server takes back is given up after two of its time-outs, and not sooner than this.
constexpr duration k_least_patience = std::chrono::seconds{5};

confirmation_needs needs_of(const contender_table& contenders) {
    return {!contenders.empty(), !contenders.confirming().empty(), !contenders.holding().empty(),
            !contenders.awaiting_lease().empty()};
}

}  // namespace

std::optional<time_point> lease_end(const client_life& life) {
    if (life.closing) return std::nullopt;
    // place: lease_of_holders_ends
    if (!life.contenders.holding().empty()) return life.lease.valid_until();
    const bool away =
        life.state == session_state::suspended || life.state == session_state::read_only;
    // A read-only server may be the first one: there is no session yet that could be lost.
    if (!away || life.session_id() == 0) return std::nullopt;
    TURNSTILE_CHECK(life.epoch);
    return life.contenders.empty() ? life.epoch->heard_at + life.lease.timeout()
                                   : life.lease.valid_until();
}

// The leader may have doomed it by then, and would answer as ever until its turn comes. Where the lease cannot
// be kept a new session would fare no better: there it goes on, and is never certain again.
std::optional<time_point> broken(const client_life& life) {
    // place: break_is_due
    if (!life.attached() || life.closing || !life.lease.can_be_kept()) return std::nullopt;
    return life.lease.trusted_until();
}

namespace {

// By then the servers have ended a session that is not attached: they have not heard of it for its time-out.
time_point end_of_detached(const client_life& life) {
    TURNSTILE_CHECK(life.epoch);
    return std::max(life.lease.valid_until(), life.epoch->heard_at + life.lease.timeout());
}

}  // namespace

// What is left at the servers goes with the session: there is nothing to wait for.
std::optional<time_point> end_while_closing(const client_life& life) {
    if (!life.closing || !life.epoch || life.attached()) return std::nullopt;
    return end_of_detached(life);
}

// It is kept for a while after its end, so that it can be closed when the servers are back, and its znodes are not
// left in a queue. But servers that were wiped, or rolled back, refuse it for ever.
std::optional<time_point> given_up(const client_life& life) {
    // place: abandon_is_due
    if (life.attached() || life.closing || life.session_id() == 0) return std::nullopt;
    return end_of_detached(life) + std::max(life.lease.timeout(), k_least_patience);
}

std::optional<time_point> silence(const client_life& life) {
    if (!life.attached() || life.closing) return std::nullopt;
    return life.silence.due(life.lease.timeout());
}

std::optional<time_point> hopeless(const client_life& life) {
    return life.contenders.awaiting_lease().empty() ? std::nullopt : no_lease(life);
}

std::optional<time_point> no_lease(const client_life& life) {
    const auto* connection = life.attached();
    if (!connection || life.lease.can_be_kept()) return std::nullopt;
    const auto& stay = connection->stay;
    if (stay.now == stay::stage::seeking) return std::nullopt;
    // The server's role may yet turn out to be a better one, but not for ever. What came meanwhile, a process that stood
    // still has not heard yet.
    const auto timeout = life.lease.timeout();
    const auto role_settled = stay.told ? stay.since : connection->attached_at + timeout;
    const auto heard_all = life.awake_since + timeout;
    return std::max({role_settled, life.lease.hopeless_from(), heard_all});
}

// A role, or a leader, that is not found out within a time-out is not waited for longer: contenders are let in. A client
// that has stayed at a follower, where the lease cannot be kept, seeks the leader again later.
std::optional<time_point> placement(const client_life& life) {
    const auto* connection = life.attached();
    if (!connection || life.closing) return std::nullopt;
    const auto& stay = connection->stay;
    const auto timeout = life.lease.timeout();
    if (stay.now != stay::stage::settled) return std::max(stay.since, life.awake_since) + timeout;
    const bool follows = stay.told == server_role::follower || stay.told == server_role::observer;
    if (life.settings.place == core::placement::anywhere || !follows || life.lease.can_be_kept())
        return std::nullopt;
    return stay.since + std::max(timeout, k_least_patience);
}

std::optional<time_point> confirmation(const client_life& life) {
    const auto* connection = life.attached();
    if (!connection) return std::nullopt;  // place: confirmation_is_due
    return connection->confirmations.due(life.pace(), life.lease, needs_of(life.contenders),
                                         life.epoch->last_write, life.now);
}

std::optional<time_point> second_look(const client_life& life) {
    if (!life.attached() || life.closing || life.contenders.empty()) return std::nullopt;
    return life.looks.due(life.confirm_interval());  // place: look_is_due
}

std::optional<time_point> keep_alive(const client_life& life) {
    const auto* connection = life.attached();
    if (!connection || life.closing) return std::nullopt;  // place: keep_alive_is_due
    return connection->last_sent + life.lease.keep_alive();
}

// One folder at a time; the next one is due at once when this one is answered.
std::optional<time_point> search(const client_life& life) {
    const auto* connection = life.attached();
    if (!connection || life.closing || connection->search) return std::nullopt;
    TURNSTILE_CHECK(life.epoch);
    return life.epoch->abandoned.due();  // place: search_is_due
}

std::optional<time_point> retry(const client_life& life) {
    const auto* connection = life.attached();
    return connection ? connection->retry.due() : std::nullopt;
}

std::optional<time_point> deadline(const client_life& life) {
    return life.deadlines.next();  // place: next_deadline_of_callers
}

// This is asked after each event of a session.
std::optional<time_point> next(const client_life& life) {
    auto earliest = time_point::max();
    const auto note = [&earliest](const std::optional<time_point>& time) {
        if (time && *time < earliest) earliest = *time;
    };
    note(life.reopen_at);
    note(retry(life));
    note(lease_end(life));
    note(broken(life));
    note(silence(life));
    note(given_up(life));
    note(end_while_closing(life));
    note(confirmation(life));
    note(second_look(life));
    note(keep_alive(life));
    note(placement(life));
    note(life.clock.next_warning(life.lease.valid_until()));
    note(search(life));
    note(hopeless(life));
    note(deadline(life));
    note(life.clock.next_end());
    note(life.clock.next_delay_end());
    return earliest == time_point::max() ? std::nullopt : std::optional{earliest};
}

}  // namespace turnstile::core::due
