// SPDX-License-Identifier: Apache-2.0
// session_tracker: when the leader expires which session.
//
// As in ZooKeeper's SessionTrackerImpl and ExpiryQueue: an expiry is rounded up to the next tick, never
// down, and takes two steps. At its time a session is doomed: nothing saves it any more, and yet it is
// touched, and its writes are taken, as if nothing were, until it is closed. The tracker forgets
// everything with its leader; the next one starts all time-outs again. A value.
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
    // False if the session is over, or is being closed. In vain if it is doomed.
    bool touch(session_id session, instant now);
    // Its time has come: its expiry is no longer counted.
    void doom(session_id session);
    // The end of a session was asked for or has come: it is refused everything.
    void close(session_id session);
    void forget(session_id session) { sessions_.erase(session); }
    // The connection that a write came by, as ZooKeeper's session owner: refused if a newer one of the
    // session has written already.
    [[nodiscard]] core::server_error claim(session_id session, connection_id by);

    [[nodiscard]] std::optional<instant> expiry(session_id session) const;
    // The latest touch that was not in vain plus the time-out; not rounded up.
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
