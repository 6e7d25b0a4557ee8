// SPDX-License-Identifier: Apache-2.0
// resolve, shuffled_servers: the servers' addresses, and the order in which a session tries them.
//
// The C client shuffles its list by reseeding the process's random() and drand48(), which are the program's, each
// time it resolves names. So it is told not to (leave_random_alone), and gets a list that is shuffled already. It still
// draws from drand48() when it connects.
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

// All that the name stands for; none if it cannot be resolved now. Blocks.
[[nodiscard]] std::vector<socket_address> resolve(const server_address& server);

// The servers' addresses in an order by chance; `missing` learns which names have none. Blocks.
[[nodiscard]] std::vector<socket_address> shuffled_addresses(const connect_string& servers,
                                                             base::random& chance,
                                                             unresolved_hosts& missing);

struct server_list {
    std::string text;         // in the form that the C client takes
    bool by_address = false;  // there are addresses in the place of a name
};

// The servers in an order by chance. A name that stands for several addresses is replaced by them, one that cannot be
// resolved stays; `missing` learns which can. One server comes twice if their number is even and no name stands for
// several: the C client goes on by two at each failure (ZOOKEEPER-2466), would try only half of them, and would not
// pause. Blocks.
[[nodiscard]] server_list shuffled_servers(const connect_string& servers, base::random& chance,
                                           unresolved_hosts& missing);

// From now on no handle of this process reseeds random() and drand48(): those that the program opens itself, too,
// whose order of servers is that of their list then. A move to the leader rests on that order, too.
void leave_random_alone() noexcept;

}  // namespace turnstile::zookeeper
