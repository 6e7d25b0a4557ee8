// SPDX-License-Identifier: Apache-2.0
// server_search: asks the servers of a session over separate connections. Finds the role of a server, the leader, and a
// server that answers while the session's server is silent (docs/why/silence.md).
//
// Thread safety: from any thread. All functions block, and end early when `give_up`, a descriptor, becomes readable.
#pragma once

#include <optional>

#include "core/seam/coordinator.hpp"
#include "zookeeper/connect_string.hpp"
#include "zookeeper/server_role.hpp"
#include "zookeeper/socket_address.hpp"
#include "zookeeper/way_to_leader.hpp"

namespace turnstile::zookeeper {

// Asks the server for its role and software. If `asks_pace` is true and the server is not the leader, also asks for its
// pace (server_pace); the pace of the leader does not matter. Sets `asks_pace` to false if the server does not report
// its pace.
[[nodiscard]] server_answers ask_for_role(const socket_address& server, bool& asks_pace,
                                          int give_up);

[[nodiscard]] std::optional<way_to_leader> find_leader(const ensemble_address& servers,
                                                       int give_up);

// Finds a leader to which the C client can move, because the current server, `present`, is silent. Asks all servers
// except `present` at once. If none of them leads, asks `present` over a new connection.
[[nodiscard]] std::optional<way_to_leader> find_another(const ensemble_address& servers,
                                                        const core::look_elsewhere& wanted,
                                                        const socket_address& present, int give_up);

}  // namespace turnstile::zookeeper
