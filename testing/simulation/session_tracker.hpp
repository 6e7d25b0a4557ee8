// SPDX-License-Identifier: Apache-2.0
// session_tracker: decides for the leader when each session expires.
//
// It has the rules of ZooKeeper's SessionTrackerImpl and ExpiryQueue. A deadline is rounded up to the next tick. At its
// deadline a session is doomed: nothing can save it, but the servers accept its messages and writes until it is closed.
// A new leader starts with an empty tracker and restarts all timeouts. Copies are independent.
#pragma once

#include <map>
#include <optional>

#include "simulation/messages.hpp"

namespace turnstile::simulation {

class session_tracker {
public:
    session_tracker() = default;
    session_tracker(core::duration tick, core::duration timeout) : tick_{tick}, timeout_{timeout} {}

    void track(session_id session, instant touched);
    // Extends the session, unless the leader has selected it for expiry (see doom()). Returns false if the session has
    // ended or is being closed.
    bool touch(session_id session, instant now);
    // Marks the session as doomed, because its deadline has passed. From now on expiry() returns nothing for it.
    void doom(session_id session);
    // Records that the session's end was requested or has happened. From now on the servers refuse its requests.
    void close(session_id session);
    void forget(session_id session) { sessions_.erase(session); }
    // Notes the connection of a write, as ZooKeeper does with a session's owner. Refuses the write if a newer
    // connection of the session has written.
    [[nodiscard]] core::server_error claim(session_id session, connection_id by);

    [[nodiscard]] std::optional<instant> expiry(session_id session) const;
    // Returns the latest effective extension plus the timeout, not rounded up to a tick.
    [[nodiscard]] std::optional<instant> deadline(session_id session) const;

private:
    struct tracked {
        instant touched{};
        instant expiry{};
        connection_id owner{};
        bool doomed = false;
        bool closing = false;
    };

    [[nodiscard]] instant bucket(instant touched) const;

    core::duration tick_{};
    core::duration timeout_{};
    std::map<session_id, tracked> sessions_;
};

}  // namespace turnstile::simulation
