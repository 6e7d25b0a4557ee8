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

// Returns the end of the lease if the session has holds. If it has none, and no connection to a server with a majority,
// returns the time at which the session counts as lost.
[[nodiscard]] std::optional<time_point> lease_end(const session_owners& owners);
// Returns the time from which the attached session cannot prove any more that it lives.
[[nodiscard]] std::optional<time_point> broken(const session_owners& owners);
// Returns the time at which the servers end the session of a client that is closing.
[[nodiscard]] std::optional<time_point> end_while_closing(const session_owners& owners);
// Returns the time at which the session stops waiting for its server's role or for the result of a search for the
// leader. If the session stays at a follower where no lease can be kept, returns the time of the session's next search
// for the leader.
[[nodiscard]] std::optional<time_point> placement(const session_owners& owners);
// Returns the time at which the session must ask other servers for a leader, because its connection does not answer.
[[nodiscard]] std::optional<time_point> silence(const session_owners& owners);
// Returns the time at which contenders that wait for a valid lease must fail, because no answer on this connection can
// make the lease valid.
[[nodiscard]] std::optional<time_point> hopeless(const session_owners& owners);
[[nodiscard]] std::optional<time_point> confirmation(const session_owners& owners);
[[nodiscard]] std::optional<time_point> second_look(const session_owners& owners);
[[nodiscard]] std::optional<time_point> keep_alive(const session_owners& owners);
[[nodiscard]] std::optional<time_point> search(const session_owners& owners);
[[nodiscard]] std::optional<time_point> next(const session_owners& owners);

}  // namespace turnstile::core::due
