// SPDX-License-Identifier: Apache-2.0
#include "core/session/server_link.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/never_destroyed.hpp"
#include "core/lease/relay_bound.hpp"

namespace turnstile::core {

// ---- state ----------------------------------------------------------------------------------

server_role server_link::role() const noexcept {
    if (const auto* const connection = here()) return connection->role;
    const bool read_only = epoch_ && std::holds_alternative<read_only_server>(epoch_->server);
    return read_only ? server_role::read_only : server_role::unknown;
}

const std::string& server_link::server() const noexcept {
    static const base::undestroyed<std::string> none;
    if (const auto* const connection = here()) return connection->server;
    if (!epoch_) return none.value;
    const auto* const cut_off = std::get_if<read_only_server>(&epoch_->server);
    return cut_off != nullptr ? cut_off->server : none.value;
}

// ---- events ---------------------------------------------------------------------------------

void server_link::open(time_point now) {
    TURNSTILE_CHECK(!epoch_);
    epoch_ = epoch{.heard_at = now};
    lease_.opening(now);
}

void server_link::replace(std::string why) {
    TURNSTILE_CHECK(epoch_);
    epoch_->replacement = std::move(why);
}

std::optional<error> server_link::attach(const link_event& event, bool closing, time_point now) {
    TURNSTILE_CHECK(epoch_);
    TURNSTILE_CHECK(!attached());
    TURNSTILE_CHECK(event.connection > epoch_->latest_connection);
    // place: another_session
    if (epoch_->session_id != 0 && event.session_id != epoch_->session_id)
        return error{errc::session_lost,
                     "the servers gave the session another id when it reconnected"};
    lease_.attached(event.connection, event.timeout, now);
    // If the lease ended before this connection began, the leader may have selected the session for expiry already,
    // although the servers still answer.
    if (!lease_.valid(now) && !closing)  // place: lease_over_at_attach
        return error{
            errc::session_lost,
            "the session's lease had ended when the session reconnected; a new session is opened"};
    epoch_->session_id = event.session_id;
    epoch_->latest_connection = event.connection;
    epoch_->heard_at = now;
    take_note(epoch_->server.emplace<attachment>(attachment{event.server}), event, now);
    return std::nullopt;
}

void server_link::attach_read_only(const link_event& event) {
    TURNSTILE_CHECK(!attached());
    epoch_->server = read_only_server{event.server};
}

bool server_link::detach() {
    const bool was_attached = attached();
    epoch_->server = std::monostate{};
    if (was_attached) lease_.detached();
    return was_attached;
}

bool server_link::learn_role(const link_event& event, time_point now) {
    if (event.connection != connection()) return false;
    zookeeper_known_ = !event.foreign;
    if (attached()) {
        take_note(std::get<attachment>(epoch_->server), event, now);
        return true;
    }
    if (roles_trusted_) lease_.role_known(event.connection, event.role, now);
    return false;
}

void server_link::take_note(attachment& here, const link_event& event, time_point now) {
    if (event.pace) here.pace = event.pace;
    if (roles_trusted_) {
        here.role = event.role;
        lease_.role_known(event.connection, event.role, now);
    }
    if (event.foreign) lease_.server_unproven(event.connection);
    if (relay_)
        lease_.relay_bound_known(event.connection,
                                 relay_bound(*relay_, here.pace, lease_.timeout()));
}

void server_link::answered(std::uint64_t connection, time_point sent, time_point now, bool write) {
    epoch_->heard_at = std::max(epoch_->heard_at, sent);
    // place: lease_from_the_request
    lease_.answered(connection, sent, now, write);
    if (write) epoch_->last_write = std::max(epoch_->last_write, sent);
}

// ---- times ----------------------------------------------------------------------------------

std::optional<time_point> server_link::lease_end(bool holds, bool contenders, bool away) const {
    // place: lease_of_holders_ends
    if (holds) return lease_.valid_until();
    // A session that was never attached to a majority does not exist yet at the servers, so it cannot be lost.
    if (!away || session_id() == 0) return std::nullopt;
    return contenders ? lease_.valid_until() : epoch_->heard_at + lease_.timeout();
}

// At the returned time the servers have not heard from the session for its whole timeout.
std::optional<time_point> server_link::end_of_detached() const {
    if (!epoch_ || attached()) return std::nullopt;
    return std::max(lease_.valid_until(), epoch_->heard_at + lease_.timeout());
}

// The client does not give the session up at end_of_detached(). If all servers were down, they may take the session
// back later. The client can then close the session, which removes its znodes from the queues. Servers that were wiped,
// or were restored from older data, never take the session back. So the wait has a limit.
std::optional<time_point> server_link::given_up(bool closing) const {
    // place: abandon_is_due
    if (attached() || closing || session_id() == 0) return std::nullopt;
    return *end_of_detached() + std::max(lease_.timeout(), k_least_patience);
}

}  // namespace turnstile::core
