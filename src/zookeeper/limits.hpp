// SPDX-License-Identifier: Apache-2.0
// limits: limits for the actions that a session starts itself.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace turnstile::zookeeper {

// Longest time for a server to report its role. The answer normally takes one round trip.
inline constexpr std::chrono::seconds k_role_limit{2};
// At the end of a session, a completion waits at most this long until the C client has queued all other completions.
// The wait normally takes microseconds.
inline constexpr std::chrono::seconds k_sweep_limit{1};
// Longest wait for the answers to the requests in progress before a client closes a session; at most the session
// timeout divided by k_last_answer_part. The wait normally takes one round trip.
inline constexpr std::chrono::seconds k_last_answer_limit{1};
inline constexpr int k_last_answer_part = 4;
// Longest time for a session's move to the leader; at most the session timeout divided by k_move_part.
inline constexpr std::chrono::seconds k_move_limit{2};
inline constexpr int k_move_part = 4;
// Longest time for a server to open a session; at most the session timeout times k_entry_part, as in the C client.
inline constexpr std::chrono::seconds k_entry_limit{5};
inline constexpr double k_entry_part = 2.0 / 3;
// The time limit of an attempt at one server doubles with each round in which no server has opened a session, up to
// this value. Otherwise a loaded machine that cannot finish a TLS handshake in time would begin the handshake again for
// ever.
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
// A server may give a new session an identity that another client already uses. After this many such sessions in a row,
// the client tries the next server.
inline constexpr int k_most_passed_over = 1000;
// Pause after all servers have failed: the session timeout divided by k_entry_pause_part, as in the C client, but at
// least k_least_entry_pause and at most k_longest_entry_pause.
inline constexpr int k_entry_pause_part = 60;
inline constexpr std::chrono::milliseconds k_least_entry_pause{10};
inline constexpr std::chrono::milliseconds k_longest_entry_pause{500};
// After this many early ends of connections in a row, the client suspects that another client has the session. The
// number doubles with each check, up to k_last_suspicion. A connection that does not end early resets the number.
inline constexpr int k_first_suspicion = 4;
inline constexpr int k_last_suspicion = 256;
// The end of a connection is early if the connection lasted less than the session timeout divided by this number.
inline constexpr int k_early_part = 3;
// To find another client with the same session, this client asks a server for the list of the session's znodes. The
// other client may break the connection to that server. So this client asks at most this many servers, one after the
// other.
inline constexpr std::size_t k_most_looks = 3;
// If another client has the session, too, this client leaves the session without closing it: it sends invented
// credentials. It then waits at most this long until the servers have refused them (client_handle::disconnect).
inline constexpr std::chrono::seconds k_leave_limit{2};
// If the servers' names take longer than this to resolve, the session passes addresses instead of names to the C
// client. The reason: the C client blocks while it resolves names.
inline constexpr std::chrono::milliseconds k_resolve_limit{100};

}  // namespace turnstile::zookeeper
