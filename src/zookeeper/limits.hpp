// SPDX-License-Identifier: Apache-2.0
// Limits for the actions that a session takes by itself.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace turnstile::zookeeper {

// Longest time for a server to tell its role; normally it takes one round trip.
inline constexpr std::chrono::seconds k_role_limit{2};
// At the end of a session a completion waits until the other completions are queued, but no longer than this. Normally
// this takes microseconds.
inline constexpr std::chrono::seconds k_sweep_limit{1};
// Longest time of a session's move to the leader, and at most this part of its timeout.
inline constexpr std::chrono::seconds k_move_limit{2};
inline constexpr int k_move_part = 4;
// Longest time for a server to open a session, and the part of the time-out that it is at most, as in the C client.
inline constexpr std::chrono::seconds k_entry_limit{5};
inline constexpr double k_entry_part = 2.0 / 3;
// The limit doubles with each round over all servers that opened no session, up to this: a loaded machine that cannot
// finish a TLS handshake in one attempt's time would begin it again for ever.
inline constexpr std::chrono::seconds k_longest_entry_limit{20};
[[nodiscard]] inline std::chrono::nanoseconds entry_limit(std::chrono::nanoseconds timeout,
                                                          unsigned failed_rounds) noexcept {
    std::chrono::nanoseconds limit{
        static_cast<std::int64_t>(static_cast<double>(timeout.count()) * k_entry_part)};
    limit = std::min<std::chrono::nanoseconds>(limit, k_entry_limit);
    for (; failed_rounds != 0 && limit < k_longest_entry_limit; --failed_rounds) limit *= 2;
    return std::min<std::chrono::nanoseconds>(limit, k_longest_entry_limit);
}
// Longest time for asking a server why it opened no session.
inline constexpr std::chrono::milliseconds k_explanation_limit{500};
// After one server has assigned so many sessions of other clients in a row, the client tries the next server.
inline constexpr int k_most_passed_over = 1000;
// Pause after all servers have failed: this part of the timeout, as in the C client, within these bounds.
inline constexpr int k_entry_pause_part = 60;
inline constexpr std::chrono::milliseconds k_least_entry_pause{10};
inline constexpr std::chrono::milliseconds k_longest_entry_pause{500};
// Connections in a row that end early until another client is suspected of having the session. The number doubles
// with each look that finds nothing, up to the last.
inline constexpr int k_first_suspicion = 4;
inline constexpr int k_last_suspicion = 256;
// The end of a connection is early within this part of the timeout.
inline constexpr int k_early_part = 3;
// Servers that are asked for a suspected session's znodes; the other client may break each of these connections.
inline constexpr int k_most_looks = 3;
// Longest wait at the end of a shared session until the servers have refused its handle.
inline constexpr std::chrono::seconds k_leave_limit{2};
// If names take longer to resolve, the C client gets, or keeps, addresses, because it is blocked while it
// resolves.
inline constexpr std::chrono::milliseconds k_resolve_limit{100};

}  // namespace turnstile::zookeeper
