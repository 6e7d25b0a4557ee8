// SPDX-License-Identifier: Apache-2.0
// way_to_leader: the list of servers that the C client is given for a move to the leader, or away from a connection that
// answers nothing.
//
// All servers are in it, the leader first, and the C client tries them in that order (leave_random_alone). Their number
// is odd, if need be by the leader at the end once more: at each failure the C client goes on by two
// (ZOOKEEPER-2466), and would try only half of an even number, without a pause.
//
// Thread safety: pure but for resolve_all, which asks the resolver; from any thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "zookeeper/connect_string.hpp"
#include "zookeeper/socket_address.hpp"

namespace turnstile::zookeeper {

// The servers of a connect string, as their names are resolved now.
struct resolved_servers {
    std::vector<socket_address> addresses;
    std::vector<std::string>
        hosts;  // names, or all addresses where the names take long; for the C client
    std::map<std::string, std::string>
        host_of;              // of each address: a name that stands for it alone, else itself
    std::size_t missing = 0;  // names among the hosts that have no address now
    bool by_address = false;  // the hosts are addresses
};

// Blocks.
[[nodiscard]] resolved_servers resolve_all(const connect_string& servers);

struct way_to_leader {
    std::vector<std::string> hosts;  // the leader first
    bool by_address = false;         // they are not the names alone
    std::size_t addresses = 0;       // of all hosts
    socket_address from{};           // the server that is left
};

// `leader`: one of the addresses.
[[nodiscard]] way_to_leader way_to(const socket_address& leader, const resolved_servers& known,
                                   base::random& chance);

// True for the address of way_from_silence() that cannot be connected to.
[[nodiscard]] bool is_unreachable(std::string_view host) noexcept;

// To `to`, which may be `present` itself, over a new connection; `present` is the last otherwise. The first of the hosts
// is an address that cannot be connected to.
[[nodiscard]] way_to_leader way_from_silence(const socket_address& present,
                                             const socket_address& to,
                                             const resolved_servers& known, base::random& chance);

}  // namespace turnstile::zookeeper
