// SPDX-License-Identifier: Apache-2.0
#include "core/session/due_times.hpp"

namespace turnstile::core::due {

std::optional<time_point> lease_end(const session_owners& owners) {
    const auto& contenders = owners.contenders.table();
    const auto state = owners.epochs.state();
    if (owners.epochs.closing()) return std::nullopt;
    return owners.link.lease_end(
        !contenders.holding().empty(), !contenders.empty(),
        state == session_state::suspended || state == session_state::read_only);
}

// From the returned time on, the leader may have selected the session for expiry, although servers still answer. If no
// lease can be kept on this connection, a new session would have no lease either. So the client then keeps the session,
// and the function returns nothing.
std::optional<time_point> broken(const session_owners& owners) {
    const auto& link = owners.link;
    const auto& lease = link.session_lease();
    // place: break_is_due
    if (!link.attached() || owners.epochs.closing() || !lease.can_be_kept()) return std::nullopt;
    return lease.trusted_until();
}

// A client that is closing waits until its znodes are removed, at most until the servers end the session. The end of
// the session removes the remaining znodes.
std::optional<time_point> end_while_closing(const session_owners& owners) {
    return owners.epochs.closing() ? owners.link.end_of_detached() : std::nullopt;
}

std::optional<time_point> placement(const session_owners& owners) {
    if (owners.epochs.closing()) return std::nullopt;
    return owners.placement.due(owners.link.session_lease());
}

std::optional<time_point> silence(const session_owners& owners) {
    if (owners.epochs.closing()) return std::nullopt;
    return owners.requests.silence_due(owners.link.session_lease().timeout());
}

std::optional<time_point> hopeless(const session_owners& owners) {
    const bool awaited = !owners.contenders.table().awaiting_lease().empty();
    return awaited ? owners.placement.no_lease(owners.link.session_lease()) : std::nullopt;
}

std::optional<time_point> confirmation(const session_owners& owners) {
    const auto& link = owners.link;
    return owners.contenders.confirmation_due(link.pace(), link.session_lease(), link.last_write(),
                                              owners.basics.now);
}

std::optional<time_point> second_look(const session_owners& owners) {
    const auto& link = owners.link;
    if (!link.attached() || owners.epochs.closing() || owners.contenders.table().empty())
        return std::nullopt;
    return owners.contenders.look_due(link.confirm_interval());  // place: look_is_due
}

std::optional<time_point> keep_alive(const session_owners& owners) {
    const auto& link = owners.link;
    // place: keep_alive_is_due
    if (!link.attached() || owners.epochs.closing()) return std::nullopt;
    return owners.requests.last_sent() + link.session_lease().keep_alive();
}

std::optional<time_point> search(const session_owners& owners) {
    return owners.epochs.closing() ? std::nullopt : owners.traces.search_due();
}

// Lists each time for which timer_steps::on_time has an action. A time that is missing here never wakes the session.
// This function runs after each event of a session, so it must be cheap.
std::optional<time_point> next(const session_owners& owners) {
    const auto& link = owners.link;
    const auto& clock = owners.contenders.clock();
    auto earliest = time_point::max();
    const auto note = [&earliest](const std::optional<time_point>& time) {
        if (time && *time < earliest) earliest = *time;
    };
    note(owners.epochs.reopen_at());
    note(owners.requests.retry_due());
    note(lease_end(owners));
    note(broken(owners));
    note(silence(owners));
    note(link.given_up(owners.epochs.closing()));
    note(end_while_closing(owners));
    note(confirmation(owners));
    note(second_look(owners));
    note(keep_alive(owners));
    note(placement(owners));
    note(clock.next_warning(link.session_lease().valid_until()));
    note(search(owners));
    note(hopeless(owners));
    note(owners.basics.deadlines.next());  // place: next_deadline_of_callers
    note(clock.next_end());
    note(clock.next_delay_end());
    return earliest == time_point::max() ? std::nullopt : std::optional{earliest};
}

}  // namespace turnstile::core::due
