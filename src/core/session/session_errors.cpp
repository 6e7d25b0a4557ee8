// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_errors.hpp"

#include <cassert>
#include <chrono>

namespace turnstile::core {

namespace {

constexpr const char* k_connection_limit =
    "; it is a further session of its client, and a server may allow no more connections from this "
    "address (maxClientCnxns, 60 by default)";

std::string in_milliseconds(duration time) {
    const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(time);
    return std::to_string(whole.count()) + " ms";
}

error away_error(const client_life& life, const std::string& subject) {
    if (life.not_opened == errc::unresolvable)
        return {errc::unresolvable, subject + ": " + life.not_opened->detail()};
    const bool further_and_new = life.session_id() == 0 && life.settings.index > 0;
    return {errc::not_connected, subject + ": no server of " + life.settings.servers +
                                     " answered in time (session " +
                                     std::string{to_string(life.state)} + ')' +
                                     (further_and_new ? k_connection_limit : "")};
}

}  // namespace

error deadline_error(const client_life& life, const std::string& subject,
                     std::optional<std::size_t> ahead) {
    const auto* connection = life.attached();
    if (!connection) return away_error(life, subject);
    const std::string from =
        connection->server +
        (connection->retry.is_throttled() ? ", which throttles: it throws requests away" : "");
    if (!ahead) return {errc::timeout, subject + ": no answer in time from " + from};
    if (*ahead == 0) {
        return {
            errc::timeout,
            subject + ": nobody is ahead, but the lease could not be confirmed in time by " + from};
    }
    return {errc::timeout, subject + ": " + std::to_string(*ahead) + " ahead when last seen"};
}

error deadline_error(const client_life& life, const acquisition& late) {
    if (!late.delay_end()) return deadline_error(life, late.folder(), late.ahead());
    return {errc::timeout, late.folder() +
                               ": nobody is ahead, but the lock delay of a holder that crashed is "
                               "not over"};
}

std::string short_lease(const client_life& life) {
    const auto* connection = life.attached();
    return "session time-out " + in_milliseconds(life.lease.timeout()) + " as granted by " +
           (connection ? connection->server : std::string{}) + ", relay bound " +
           in_milliseconds(life.settings.lease.relay_bound) +
           (life.lease.can_be_kept()
                ? ": a hold that rests on a server that is not the leader needs a time-out of 5/3 "
                  "of the bound, and is lost within seconds with less"
                : ": through a server that is not the leader a hold is certain only with a "
                  "time-out longer than the bound") +
           "; ask for a longer session_timeout (the servers' maxSessionTimeout limits it), set "
           "lease.tick and lease.sync_limit to the servers', or prefer the leader";
}

std::string throttling(const client_life& life) {
    assert(life.attached());
    return life.attached()->server +
           " throttles: it throws requests away that have waited for longer than its "
           "throttled_op_wait_time; they are sent again";
}

}  // namespace turnstile::core
