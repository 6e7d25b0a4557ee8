// SPDX-License-Identifier: Apache-2.0
// due_times: the times at which a session must act although no event comes. Each of these times depends on several
// owners, the objects that keep the session's state (session_owners.hpp). A function returns nothing if the session
// need not act before the next event. The functions change nothing.
//
// Thread safety: none.
#pragma once

#include <optional>

#include "core/session/session_owners.hpp"

namespace turnstile::core::due {

// Returns when the lease ends, if the session has holds. Otherwise returns when a session without a connection counts
// as lost; nothing while there is a connection.
[[nodiscard]] std::optional<time_point> lease_end(const session_owners& owners);
// Returns when the attached session can no longer prove that it lives.
[[nodiscard]] std::optional<time_point> broken(const session_owners& owners);
// Returns when the servers end the session of a client that is closing.
[[nodiscard]] std::optional<time_point> end_while_closing(const session_owners& owners);
// Returns when the session stops waiting for its server to report a role, or for a search to find the leader. Also
// returns when the session searches for the leader again.
[[nodiscard]] std::optional<time_point> placement(const session_owners& owners);
// Returns when the session must ask other servers for a leader, because its connection does not answer.
[[nodiscard]] std::optional<time_point> silence(const session_owners& owners);
// Returns when contenders that wait for a valid lease must fail, because no answer on this connection can make it
// valid.
[[nodiscard]] std::optional<time_point> hopeless(const session_owners& owners);
[[nodiscard]] std::optional<time_point> confirmation(const session_owners& owners);
[[nodiscard]] std::optional<time_point> second_look(const session_owners& owners);
[[nodiscard]] std::optional<time_point> keep_alive(const session_owners& owners);
[[nodiscard]] std::optional<time_point> search(const session_owners& owners);
[[nodiscard]] std::optional<time_point> deadline(const session_owners& owners);
[[nodiscard]] std::optional<time_point> next(const session_owners& owners);

}  // namespace turnstile::core::due
