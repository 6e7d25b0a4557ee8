// SPDX-License-Identifier: Apache-2.0
// assumed_pace: the servers' tickTime and syncLimit as the client takes them to be: what the command line says comes
// first, then what the server says, then the sample configuration, whose tick a long session time-out makes longer. Other kinds
// of servers have no followers: their pace is zero.
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

    // How late a follower tells the leader of a session at the most.
    [[nodiscard]] std::chrono::milliseconds relay_bound() const noexcept {
        return tick * (sync_limit + 1);
    }
    friend bool operator==(const assumed_pace&, const assumed_pace&) = default;
};

// The command line says both.
[[nodiscard]] inline bool says_pace(const server_settings& settings) noexcept {
    return settings.tick.count() > 0 && settings.sync_limit > 0;
}

// `granted`: the session time-out.
[[nodiscard]] assumed_pace pace_of(const server_settings& settings,
                                   const std::optional<server_configuration>& told,
                                   std::chrono::milliseconds granted);

}  // namespace turnstile::cli
