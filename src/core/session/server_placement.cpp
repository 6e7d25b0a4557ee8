// SPDX-License-Identifier: Apache-2.0
#include "core/session/server_placement.hpp"

#include <algorithm>
#include <chrono>

#include "base/check.hpp"
#include "base/duration_text.hpp"

namespace turnstile::core {

namespace {

// Limit for the moves to the leader: a reported role may be out of date on arrival, and a leader may accept no more
// connections.
constexpr int k_most_moves = 3;

bool leads(server_role role) noexcept {
    return role == server_role::leader || role == server_role::standalone;
}

}  // namespace

void server_placement::attach(const link_event& event, const lease& lease, bool closing,
                              session_basics& basics) {
    stay_ = {event.connection, event.server, basics.now, basics.now};
    take_note(event);
    decide(lease, closing, basics);
}

void server_placement::leave() noexcept {
    stay_.reset();
    moves_ = 0;
    short_lease_told_ = false;
}

void server_placement::learn(const link_event& event, const lease& lease, bool closing,
                             session_basics& basics) {
    auto& stay = *stay_;
    if (roles_asked_) stay.told = event.role;
    take_note(event);
    if (stay.at != stage::seeking) decide(lease, closing, basics);
}

// Keeps a role that the server reported when the connection began, even if the server later answers that it does not
// report its role.
void server_placement::take_note(const link_event& event) {
    if (event.role != server_role::unknown) stay_->told = event.role;
    if (event.pace) stay_->tells_pace = true;
}

void server_placement::decide(const lease& lease, bool closing, session_basics& basics) {
    const auto& stay = *stay_;
    if (stay.told && leads(*stay.told)) moves_ = 0;
    if (!is_to_move(lease, closing)) return settle(lease, basics);
    if (!stay.told) return;  // place: role_awaited
    if (*stay.told == server_role::unknown || moves_ >= k_most_moves) return settle(lease, basics);
    seek(basics);
}

bool server_placement::is_to_move(const lease& lease, bool closing) const {
    const auto& told = stay_->told;
    if (closing || !roles_asked_ || (told && leads(*told))) return false;
    switch (place_) {
        case placement::anywhere: return false;
        case placement::at_the_leader: return true;
        case placement::automatic: return !lease.is_ample();
    }
    return false;
}

void server_placement::seek(session_basics& basics) {
    TURNSTILE_CHECK(moves_ < k_most_moves);
    ++moves_;
    stay_->at = stage::seeking;
    stay_->since = basics.now;
    basics.actions.emplace_back(seek_leader{stay_->connection});
}

void server_placement::settle(const lease& lease, session_basics& basics) {
    if (stay_->at != stage::settled) stay_->since = basics.now;
    stay_->at = stage::settled;
    if (stay_->told) warn_if_short(lease, basics);
}

void server_placement::stay_here(const link_event& event, const lease& lease,
                                 session_basics& basics) {
    if (!stay_ || stay_->connection != event.connection) return;
    stay_->leader_missing = true;
    settle(lease, basics);
}

void server_placement::settle_or_seek(const lease& lease, session_basics& basics) {
    if (stay_->at == stage::settled) {
        moves_ = k_most_moves - 1;
        return seek(basics);
    }
    settle(lease, basics);
}

// ---- the times at which the session decides where it stays -----------------------------------

std::optional<time_point> server_placement::no_lease(const lease& lease) const {
    if (!stay_ || lease.can_be_kept() || stay_->at == stage::seeking) return std::nullopt;
    // The server may still report that it leads. The session waits for this report for at most one session timeout.
    // If the process was stopped, it gets one session timeout to read the messages that arrived during the stop.
    const auto timeout = lease.timeout();
    const auto role_settled = stay_->told ? stay_->since : stay_->attached_at + timeout;
    const auto heard_all = awake_since_ + timeout;
    return std::max({role_settled, lease.hopeless_from(), heard_all});
}

// The session waits until the server reports its role, or until a leader is found, but at most one session timeout.
// Then the session lets its contenders enter their queues. If the session stays at a follower where no lease can be
// kept, it searches for the leader again later.
std::optional<time_point> server_placement::due(const lease& lease) const {
    if (!stay_) return std::nullopt;
    const auto timeout = lease.timeout();
    if (stay_->at != stage::settled) return std::max(stay_->since, awake_since_) + timeout;
    const bool follows =
        stay_->told == server_role::follower || stay_->told == server_role::observer;
    if (place_ == placement::anywhere || !follows || lease.can_be_kept()) return std::nullopt;
    return stay_->since + std::max(timeout, k_least_patience);
}

// ---- messages -------------------------------------------------------------------------------

void server_placement::warn_if_short(const lease& lease, session_basics& basics) {
    if (!stay_ || short_lease_told_) return;
    if (lease.is_direct() || lease.timeout() >= lease.least_lasting_timeout()) return;
    short_lease_told_ = true;
    basics.actions.emplace_back(warning{short_lease(lease)});
}

// Names the source of the relay bound, and the settings by which the user can give the servers' values. The bound
// limits how late the leader may learn of a request that a follower has answered.
std::string server_placement::origin_of_bound() const {
    const auto& terms = relay_;
    if (!terms || (terms->tick > duration{} && terms->sync_limit > 0)) return {};
    if (terms->assumed_stall > duration{}) return {};
    if (stay_ && stay_->tells_pace) return " (from the servers' tickTime and syncLimit)";
    return " (from ZooKeeper's sample configuration: set lease.tick and lease.sync_limit to the "
           "servers' values, or allow conf in their 4lw.commands.whitelist)";
}

// Returns a text that says how the session can connect to the leader. At the leader the lease does not depend on the
// relay bound, the longest time until the leader learns of a request that a follower has answered.
std::string server_placement::way_to_leader() const {
    if (!roles_trusted_ || !roles_asked_)
        return "set role_detection::on, so that the client asks for the servers' roles; this "
               "does not work behind a load balancer";
    if (stay_ && stay_->told == server_role::unknown)
        return "allow the command srvr in each server's 4lw.commands.whitelist, so that the server "
               "reports its role at the address and port to which clients connect";
    if (place_ == placement::anywhere)
        return "let the session move to the leader (server_preference::automatic)";
    if (stay_ && stay_->leader_missing)
        return "make the leader reachable: no server of " + servers_ +
               " says that it leads (leaderServes=no, or srvr is not in its "
               "4lw.commands.whitelist)";
    return "find out why the leader does not accept the session (its maxClientCnxns, or a "
           "firewall)";
}

std::string server_placement::short_lease(const lease& lease) const {
    const auto late = base::duration_text(lease.servers_bound());
    return (stay_ ? stay_->server : std::string{}) + " granted a session timeout of " +
           base::duration_text(lease.timeout()) + ", and the leader may learn of a request only " +
           late + " after a follower has answered that request" + origin_of_bound() +
           ". Through a server that is not the leader, " +
           (lease.can_be_kept()
                ? "a hold lasts only with a timeout of at least 5/3 of " + late +
                      ", and with the granted timeout the hold is lost within seconds"
                : "a hold is certain only with a timeout longer than " + late) +
           ". Set a longer session_timeout (the servers' maxSessionTimeout limits it), or " +
           way_to_leader();
}

}  // namespace turnstile::core
