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
// Longest time for a server to open a session, and the part of the time-out that it is at most, as in the C client.
inline constexpr std::chrono::seconds k_entry_limit{5};
inline constexpr double k_entry_part = 2.0 / 3;
// How long a server that opened no session is asked why.
inline constexpr std::chrono::milliseconds k_explanation_limit{500};
// Sessions of other clients that one server gives out in a row until the next server is tried.
inline constexpr int k_most_passed_over = 1000;
// Pause after all servers have failed: this part of the time-out, as in the C client, within these bounds.
inline constexpr int k_entry_pause_part = 60;
inline constexpr std::chrono::milliseconds k_least_entry_pause{10};
inline constexpr std::chrono::milliseconds k_longest_entry_pause{500};
// Connections in a row that end early until a session is suspected to be another client's, too. The number doubles with
// each look that finds nothing, up to the last.
inline constexpr int k_first_suspicion = 4;
inline constexpr int k_last_suspicion = 256;
// Part of the time-out within which the end of a connection is early.
inline constexpr int k_early_part = 3;
// Servers that are asked what a suspected session owns; the other client may break each of these connections.
inline constexpr int k_most_looks = 3;
// Longest wait at the end of a shared session until the servers have refused its handle.
inline constexpr std::chrono::seconds k_leave_limit{2};
// Names that take longer to resolve are not given to the C client: it gets, or keeps, addresses, since it stands still
// while it resolves.
inline constexpr std::chrono::milliseconds k_resolve_limit{100};

}  // namespace turnstile::zookeeper
