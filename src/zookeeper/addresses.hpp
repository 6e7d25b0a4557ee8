// SPDX-License-Identifier: Apache-2.0
// resolve, shuffled_servers: the servers' addresses, and the order in which a session tries them.
//
// Each time the C client resolves names, it reseeds the program's random() and drand48() to shuffle its list.
// leave_random_alone prevents that, and the C client gets a list that is shuffled already. It still draws from
// drand48() when it connects.
//
// Thread safety: functions, from any thread.
#pragma once

#include <string>
#include <vector>

#include "base/random.hpp"
#include "zookeeper/connect_string.hpp"
#include "zookeeper/socket_address.hpp"
#include "zookeeper/unresolved_hosts.hpp"

namespace turnstile::zookeeper {

// All addresses of the name; none if it cannot be resolved now. Blocks.
[[nodiscard]] std::vector<socket_address> resolve(const server_address& server);

// The servers' addresses in random order; `missing` records names without addresses. Blocks.
[[nodiscard]] std::vector<socket_address> shuffled_addresses(const connect_string& servers,
                                                             base::random& chance,
                                                             unresolved_hosts& missing);

struct server_list {
    std::string text;         // in the C client's form
    bool by_address = false;  // the list has addresses in place of a name
};

// The servers in random order. A name with several addresses is replaced by them, a name that cannot be resolved
// stays; `missing` records which can. If the number of servers is even and no name has several addresses, one server
// is listed twice: after each failure the C client advances by two (ZOOKEEPER-2466), so it would try only half of
// them, and would not pause. Blocks.
[[nodiscard]] server_list shuffled_servers(const connect_string& servers, base::random& chance,
                                           unresolved_hosts& missing);

// From now on no handle of this process reseeds random() and drand48(), including the program's own handles, which
// then try their servers in the order of the list. A move to the leader depends on that order as well.
void leave_random_alone() noexcept;

}  // namespace turnstile::zookeeper
