// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_errors.hpp"

#include <chrono>

#include "base/check.hpp"
#include "core/contender/state_queries.hpp"

namespace turnstile::core {

namespace {

constexpr const char* k_connection_limit =
    "; it is a further session of its client, and a server may allow no more connections from this "
    "address (maxClientCnxns, 60 by default)";

std::string in_milliseconds(duration time) {
    const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(time);
    return std::to_string(whole.count()) + " ms";
}

// Where the relay bound is from, and what would make it the servers' own.
std::string origin_of_bound(const client_life& life) {
    const auto& terms = life.settings.relay;
    const auto* connection = life.attached();
    if (!terms || (terms->tick > duration{} && terms->sync_limit > 0)) return {};
    if (terms->assumed_stall > duration{}) return {};
    if (connection && connection->stay.pace) return " by the servers' tickTime and syncLimit";
    return " by the sample configuration (set lease.tick and lease.sync_limit to the servers', or "
           "allow conf in "
           "their 4lw.commands.whitelist)";
}

// Why the session is not attached to the leader, where there is no bound.
std::string way_to_leader(const client_life& life) {
    const auto& settings = life.settings;
    const auto* connection = life.attached();
    if (!settings.roles_trusted || !settings.roles_asked)
        return "let the client ask for the servers' roles (role_detection::on), unless a load "
               "balancer stands between";
    if (connection && connection->stay.told == server_role::unknown)
        return "let the servers tell their roles: allow srvr in their 4lw.commands.whitelist, at "
               "the address and "
               "port that clients attach to";
    if (settings.place == placement::anywhere)
        return "go to the leader (server_preference::automatic)";
    if (connection && connection->stay.leader_missing)
        return "make the leader reachable: no server of " + settings.servers +
               " says that it leads (leaderServes=no, or srvr is not in its "
               "4lw.commands.whitelist)";
    return "see why the leader does not take the session (its maxClientCnxns, or a firewall)";
}

// "1 ahead when last seen, the holder: web1, pid 12, since ..."; a caller that waits for its own client is told so.
std::string line_of(std::size_t ahead, const contender_ahead* nearest) {
    auto text = std::to_string(ahead) + " ahead when last seen";
    if (nearest == nullptr) return text;
    const bool waits_for_itself = nearest->is_own && ahead == 1;
    if (waits_for_itself) text = "this very client has it";
    if (nearest->claims.empty()) return text;
    if (!waits_for_itself) text += ahead == 1 ? ", the holder" : ", the nearest";
    return text + ": " + nearest->claims;
}

error away_error(const client_life& life, const std::string& subject) {
    if (life.not_opened == errc::unresolvable)
        return {errc::unresolvable, subject + ": " + life.not_opened->detail()};
    const bool further_and_new = life.session_id() == 0 && life.settings.index > 0;
    return {errc::not_connected, subject + ", at " + life.settings.servers +
                                     (further_and_new ? k_connection_limit : "")};
}

}  // namespace

error deadline_error(const client_life& life, const std::string& subject,
                     std::optional<std::size_t> ahead, const contender_ahead* nearest) {
    const auto* connection = life.attached();
    if (!connection) return away_error(life, subject);
    const std::string from =
        connection->server +
        (connection->retry.is_throttled() ? ", which throttles: it throws requests away" : "");
    if (!ahead) return {errc::timeout, subject + ": no answer from " + from};
    if (*ahead == 0) {
        return {errc::timeout,
                subject + ": the waiter is first, but the lease could not be confirmed by " + from};
    }
    return {errc::timeout, subject + ": " + line_of(*ahead, nearest)};
}

error deadline_error(const client_life& life, const acquisition& late) {
    if (!delay_end(late.current()))
        return deadline_error(life, late.folder(), late.ahead(), nearest_ahead(late.current()));
    return {errc::timeout,
            late.folder() +
                ": the waiter is first, but the lock delay of a holder that crashed is "
                "not over"};
}

std::string short_lease(const client_life& life) {
    const auto* connection = life.attached();
    return "session time-out " + in_milliseconds(life.lease.timeout()) + " as granted by " +
           (connection ? connection->server : std::string{}) + ", relay bound " +
           in_milliseconds(life.lease.servers_bound()) + origin_of_bound(life) +
           (life.lease.can_be_kept()
                ? ": a hold that rests on a server that is not the leader needs a time-out of 5/3 "
                  "of the bound, and is lost within seconds with less"
                : ": through a server that is not the leader a hold is certain only with a "
                  "time-out longer than the bound") +
           "; ask for a longer session_timeout (the servers' maxSessionTimeout limits it), or " +
           way_to_leader(life);
}

std::string throttling(const client_life& life) {
    TURNSTILE_CHECK(life.attached());
    return life.attached()->server +
           " throttles: it throws requests away that it cannot carry out soon (ZooKeeper's "
           "throttled_op_wait_time; a row that a transaction of a program's own holds); they are "
           "sent again";
}

}  // namespace turnstile::core
