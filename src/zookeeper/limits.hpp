// SPDX-License-Identifier: Apache-2.0
// Bounds of what a session does on its own account.
#pragma once

#include <chrono>

namespace turnstile::zookeeper {

// How long a server may take to tell its role; it is found out in a round trip as a rule.
inline constexpr std::chrono::seconds k_role_limit{2};
// How long a completion waits at the end of a session until the others are queued; it takes microseconds.
inline constexpr std::chrono::seconds k_sweep_limit{1};
// How often a session goes to the leader without arriving there, before it stays where it is.
inline constexpr int k_most_moves = 3;
// How long it may be on the way.
inline constexpr std::chrono::seconds k_move_limit{2};

}  // namespace turnstile::zookeeper
