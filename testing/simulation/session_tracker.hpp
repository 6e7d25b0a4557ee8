// SPDX-License-Identifier: Apache-2.0
// session_tracker: decides when the leader expires which session.
//
// The same rules as ZooKeeper's SessionTrackerImpl and ExpiryQueue: an expiry is rounded up to the next tick, never
// down, and has two steps. At its deadline a session is doomed: nothing can save it any more. Still, touches and
// writes are accepted as usual until it is closed. The tracker forgets everything with its leader; the next leader
// restarts all timeouts. A value.
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
    // Returns false if the session has ended, or is being closed. Without effect if it is doomed.
    bool touch(session_id session, instant now);
    // The deadline of the session has passed: from now on it has no next expiry.
    void doom(session_id session);
    // The end of a session was requested or has happened: everything is refused to it.
    void close(session_id session);
    void forget(session_id session) { sessions_.erase(session); }
    // Records the connection of a write, like ZooKeeper's session owner. Refused if a newer connection of the session
    // has written already.
    [[nodiscard]] core::server_error claim(session_id session, connection_id by);

    [[nodiscard]] std::optional<instant> expiry(session_id session) const;
    // Returns the latest effective touch plus the timeout; not rounded up.
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
