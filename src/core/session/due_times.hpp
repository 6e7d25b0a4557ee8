// SPDX-License-Identifier: Apache-2.0
// due_times: the times at which a session must act by itself, where several owners decide together
// (session_owners.hpp). A function returns nothing if its action has no time at present: another event must come first.
// The functions change nothing.
//
// Thread safety: none.
#pragma once

#include <optional>

#include "core/session/session_owners.hpp"

namespace turnstile::core::due {

// The lease of the holds ends, or the lease of a session without a connection.
[[nodiscard]] std::optional<time_point> lease_end(const session_owners& owners);
// The attached session can no longer prove that it lives.
[[nodiscard]] std::optional<time_point> broken(const session_owners& owners);
// The session ends at the servers while its client closes.
[[nodiscard]] std::optional<time_point> end_while_closing(const session_owners& owners);
// The wait for a role or a leader ends, or the search for the leader starts again.
[[nodiscard]] std::optional<time_point> placement(const session_owners& owners);
// The connection does not answer: the session looks for another way to the servers.
[[nodiscard]] std::optional<time_point> silence(const session_owners& owners);
// The lease cannot be kept on this connection, and contenders wait for it.
[[nodiscard]] std::optional<time_point> hopeless(const session_owners& owners);
[[nodiscard]] std::optional<time_point> confirmation(const session_owners& owners);
[[nodiscard]] std::optional<time_point> second_look(const session_owners& owners);
[[nodiscard]] std::optional<time_point> keep_alive(const session_owners& owners);
// The next list for an abandoned create.
[[nodiscard]] std::optional<time_point> search(const session_owners& owners);
// The earliest deadline of a caller.
[[nodiscard]] std::optional<time_point> deadline(const session_owners& owners);
// The earliest of all these times.
[[nodiscard]] std::optional<time_point> next(const session_owners& owners);

}  // namespace turnstile::core::due
