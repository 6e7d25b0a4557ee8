// SPDX-License-Identifier: Apache-2.0
// due_times: when the time has come for what a session does by itself, where several owners say so together
// (session_owners.hpp). Each function answers with nothing while that is not to come by time alone. They ask, and change
// nothing.
//
// Thread safety: none.
#pragma once

#include <optional>

#include "core/session/session_owners.hpp"

namespace turnstile::core::due {

// The lease of holds, or a session without connection, ends.
[[nodiscard]] std::optional<time_point> lease_end(const session_owners& owners);
// Nothing proves any more that the attached session lives.
[[nodiscard]] std::optional<time_point> broken(const session_owners& owners);
// The session ends at the servers while its client closes.
[[nodiscard]] std::optional<time_point> end_while_closing(const session_owners& owners);
// The wait for a role or a leader ends, or the search for the leader begins again.
[[nodiscard]] std::optional<time_point> placement(const session_owners& owners);
// The connection answers nothing: the session looks for another way to the servers.
[[nodiscard]] std::optional<time_point> silence(const session_owners& owners);
// The lease cannot be kept on this connection, and contenders wait for it.
[[nodiscard]] std::optional<time_point> hopeless(const session_owners& owners);
[[nodiscard]] std::optional<time_point> confirmation(const session_owners& owners);
[[nodiscard]] std::optional<time_point> second_look(const session_owners& owners);
[[nodiscard]] std::optional<time_point> keep_alive(const session_owners& owners);
// The next list for an abandoned create.
[[nodiscard]] std::optional<time_point> search(const session_owners& owners);
// A caller's time is over.
[[nodiscard]] std::optional<time_point> deadline(const session_owners& owners);
// The earliest of all that a session has to do by time.
[[nodiscard]] std::optional<time_point> next(const session_owners& owners);

}  // namespace turnstile::core::due
