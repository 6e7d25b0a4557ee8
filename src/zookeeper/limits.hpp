// SPDX-License-Identifier: Apache-2.0
// Bounds of what a session does on its own account.
#pragma once

#include <chrono>

namespace turnstile::zookeeper {

// How long a server may take to tell its role; it is found out in a round trip as a rule.
inline constexpr std::chrono::seconds k_role_limit{2};
// How long a completion waits at the end of a session until the others are queued; it takes microseconds.
inline constexpr std::chrono::seconds k_sweep_limit{1};
// How long a session may be on its way to the leader, and this part of its time-out at most.
inline constexpr std::chrono::seconds k_move_limit{2};
inline constexpr int k_move_part = 4;
// Names that take longer to resolve are not given to the C client: it gets, or keeps, addresses, since it stands still
// while it resolves.
inline constexpr std::chrono::milliseconds k_resolve_limit{100};

}  // namespace turnstile::zookeeper
