// SPDX-License-Identifier: Apache-2.0
// way_to_leader: the list of servers that the C client gets for a move to the leader, or away from a silent connection.
//
// The list contains all servers, the leader first, and the C client tries them in that order (leave_random_alone).
// The number of entries must be odd, because the C client advances by two after each failure (ZOOKEEPER-2466). With an
// even number, it would try only half of the servers, and would not pause after a round of failures. So if the number
// of servers is even, the list contains the leader a second time, at the end.
//
// Thread safety: all functions from any thread. They are pure, except that resolve_all asks the resolver, and that the
// search asks servers.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "core/seam/coordinator.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/connect_string.hpp"
#include "zookeeper/server_role.hpp"

namespace turnstile::zookeeper {

// The servers of a connect string, with the current addresses of their names.
struct resolved_servers {
    std::vector<socket_address> addresses;
    std::vector<std::string>
        hosts;  // names, or all addresses if the names resolve slowly; for the C client
    std::map<std::string, std::string>
        host_of;              // by address: the name that has only this address, or the address
    std::size_t missing = 0;  // names among the hosts without an address now
    bool by_address = false;  // `hosts` contains addresses
};

// Resolves the names of the servers. Blocks.
[[nodiscard]] resolved_servers resolve_all(const ensemble_address& servers);

struct way_to_leader {
    std::vector<std::string> hosts;  // the leader first
    bool by_address = false;         // the list contains addresses, not only names
    std::size_t addresses = 0;       // the number of the hosts' addresses
    socket_address from{};           // the server that the session leaves
};

// Returns the list of servers that the C client needs to move to `leader`. The address `leader` is one of
// `known.addresses`.
[[nodiscard]] way_to_leader way_to(const socket_address& leader, const resolved_servers& known,
                                   base::random& chance);

// True if `host` is the address that refuses all connections. A list from way_from_silence() begins with this address.
[[nodiscard]] bool is_unreachable(std::string_view host) noexcept;

// Returns the list of servers that the C client needs to move to `to` over a new connection. `to` may be `present`, the
// current server; otherwise `present` comes last in the list. The list begins with an address that refuses connections,
// so that the C client gives up the requests of the silent connection first.
[[nodiscard]] way_to_leader way_from_silence(const socket_address& present,
                                             const socket_address& to,
                                             const resolved_servers& known, base::random& chance);

// ---- the search for the leader ----
// The next functions ask the servers of a session over separate connections. They block, and end early when `give_up`,
// a descriptor, becomes readable.

// Asks the server for its role and software. If `asks_pace` is true and the server is not the leader, also asks for its
// pace (server_pace); the pace of the leader does not matter. Sets `asks_pace` to false if the server does not report
// its pace.
[[nodiscard]] server_answers ask_for_role(const socket_address& server, bool& asks_pace,
                                          int give_up);

[[nodiscard]] std::optional<way_to_leader> find_leader(const ensemble_address& servers,
                                                       int give_up);

// Finds a leader to which the C client can move, because the current server, `present`, is silent
// (docs/why/silence.md). Asks all servers except `present` at once. If none of them leads, asks `present` over a new
// connection.
[[nodiscard]] std::optional<way_to_leader> find_another(const ensemble_address& servers,
                                                        const core::look_elsewhere& wanted,
                                                        const socket_address& present, int give_up);

}  // namespace turnstile::zookeeper
