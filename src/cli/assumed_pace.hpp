// SPDX-License-Identifier: Apache-2.0
// assumed_pace: the tickTime and syncLimit that the client assumes for ZooKeeper servers. The command line's values
// come first, then the servers' reported values, then ZooKeeper's sample configuration. By default servers grant
// session timeouts from 2 to 20 times tickTime, so the granted timeout may raise the assumed tickTime. For other kinds
// of servers both values are zero, because these servers have no followers.
//
// Thread safety: a value and pure functions.
#pragma once

#include <chrono>
#include <optional>

#include "cli/servers.hpp"
#include "turnstile/server_health.hpp"

namespace turnstile::cli {

struct assumed_pace {
    std::chrono::milliseconds tick{};
    int sync_limit = 0;

    // The longest time from a follower's reply to a client until the leader knows that the client's session is in use.
    [[nodiscard]] std::chrono::milliseconds relay_bound() const noexcept {
        return tick * (sync_limit + 1);
    }
    friend bool operator==(const assumed_pace&, const assumed_pace&) = default;
};

// True if the command line sets both tickTime and syncLimit.
[[nodiscard]] inline bool says_pace(const server_settings& settings) noexcept {
    return settings.tick.count() > 0 && settings.sync_limit > 0;
}

// `granted`: the session timeout that the servers granted.
[[nodiscard]] assumed_pace pace_of(const server_settings& settings,
                                   const std::optional<server_configuration>& told,
                                   std::chrono::milliseconds granted);

}  // namespace turnstile::cli
