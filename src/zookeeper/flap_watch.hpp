// SPDX-License-Identifier: Apache-2.0
// flap_watch: notices that several connections in a row have ended early.
//
// The cause may be an unstable network, or another client with the same session. Two clients with one session end each
// other's connections: each write of one client makes the servers end the connection of the other. To distinguish the
// two causes, the client must request the list of the session's znodes. This request needs another connection, so the
// client rarely sends it.
//
// Thread safety: one thread at a time.
#pragma once

#include <optional>

#include "core/seam/seam.hpp"
#include "zookeeper/limits.hpp"

namespace turnstile::zookeeper {

class flap_watch {
public:
    void attached(core::time_point now) noexcept { since_ = now; }
    // Returns true if so many connections in a row have ended early that the client should list the session's znodes.
    [[nodiscard]] bool detached(core::time_point now, core::duration timeout) noexcept;

private:
    std::optional<core::time_point> since_;
    int early_ = 0;  // number of early ends in a row
    int suspicion_ = k_first_suspicion;
};

}  // namespace turnstile::zookeeper
