// SPDX-License-Identifier: Apache-2.0
// due_times: when the time has come for what a session does by itself. Each function answers with nothing while that is
// not to come by time alone. They ask, and change nothing.
//
// Thread safety: none.
#pragma once

#include <optional>

#include "core/session/client_life.hpp"

namespace turnstile::core::due {

// The lease of holds, or a session without connection, ends.
[[nodiscard]] std::optional<time_point> lease_end(const client_life& life);
// Nothing proves any more that the attached session lives.
[[nodiscard]] std::optional<time_point> broken(const client_life& life);
// The connection answers nothing: the session looks for another way to the servers.
[[nodiscard]] std::optional<time_point> silence(const client_life& life);
// No server takes the session back.
[[nodiscard]] std::optional<time_point> given_up(const client_life& life);
// The session ends at the servers while its client closes.
[[nodiscard]] std::optional<time_point> end_while_closing(const client_life& life);
// The lease cannot be kept on this connection, and contenders wait for it.
[[nodiscard]] std::optional<time_point> hopeless(const client_life& life);
// From when on nothing makes the lease certain on this connection, whether a contender waits for it or not.
[[nodiscard]] std::optional<time_point> no_lease(const client_life& life);
// The wait for a role or a leader ends, or the search for the leader begins again.
[[nodiscard]] std::optional<time_point> placement(const client_life& life);
[[nodiscard]] std::optional<time_point> confirmation(const client_life& life);
[[nodiscard]] std::optional<time_point> second_look(const client_life& life);
[[nodiscard]] std::optional<time_point> keep_alive(const client_life& life);
// The next list for an abandoned create.
[[nodiscard]] std::optional<time_point> search(const client_life& life);
// What came to nothing is sent again.
[[nodiscard]] std::optional<time_point> retry(const client_life& life);
// A caller's time is over.
[[nodiscard]] std::optional<time_point> deadline(const client_life& life);
// The earliest of all that a session has to do by time.
[[nodiscard]] std::optional<time_point> next(const client_life& life);

[[nodiscard]] inline bool has_come(const std::optional<time_point>& time, const client_life& life) {
    return time && *time <= life.now;
}

}  // namespace turnstile::core::due
