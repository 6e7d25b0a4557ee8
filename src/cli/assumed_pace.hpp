// SPDX-License-Identifier: Apache-2.0
// assumed_pace: the tickTime and syncLimit that the client assumes for the servers. Values on the command line come
// first, then the server's own values, then the sample configuration. A long session timeout raises the sample tick.
// Other kinds of servers have no followers: their pace is zero.
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

    // The longest delay between a follower's answer and its report of the session to the leader.
    [[nodiscard]] std::chrono::milliseconds relay_bound() const noexcept {
        return tick * (sync_limit + 1);
    }
    friend bool operator==(const assumed_pace&, const assumed_pace&) = default;
};

// True if the command line has both values.
[[nodiscard]] inline bool says_pace(const server_settings& settings) noexcept {
    return settings.tick.count() > 0 && settings.sync_limit > 0;
}

// `granted`: the session timeout that the servers granted.
[[nodiscard]] assumed_pace pace_of(const server_settings& settings,
                                   const std::optional<server_configuration>& told,
                                   std::chrono::milliseconds granted);

}  // namespace turnstile::cli
