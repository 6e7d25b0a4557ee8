// SPDX-License-Identifier: Apache-2.0
// flap_watch: notices connections that end early, one after the other.
//
// Purpose: the reason may be an unstable link, or a session that two clients have: each write of one client, through
// its server, makes the other's server close the other's connection. Only listing the session's znodes distinguishes
// the two, and that costs a connection: so it is done rarely.
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
    // Returns true if so many connections have ended early that a look is worth its cost.
    [[nodiscard]] bool detached(core::time_point now, core::duration timeout) noexcept;

private:
    std::optional<core::time_point> since_;
    int early_ = 0;  // in a row
    int suspicion_ = k_first_suspicion;
};

}  // namespace turnstile::zookeeper
