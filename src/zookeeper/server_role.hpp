// SPDX-License-Identifier: Apache-2.0
// ask_role: what a server is in its ensemble, by the command "srvr" over a connection of its own.
//
// Thread safety: from any thread.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "core/seam/seam.hpp"
#include "zookeeper/connect_string.hpp"

namespace turnstile::zookeeper {

// An address of a server as sockets have it.
struct socket_address {
    sockaddr_storage storage{};
    socklen_t length = 0;  // 0: none
};

// "192.0.2.1:2181" or "[2001:db8::1]:2181"; empty for none.
[[nodiscard]] std::string to_string(const socket_address& address, address_form form);

// The role in an answer to "srvr"; unknown for anything else ("is not executed because it is not in
// the whitelist", "This ZooKeeper instance is not currently serving requests").
[[nodiscard]] core::server_role parse_role(std::string_view answer) noexcept;

// Asks; blocks until the answer is there, `limit` has passed, or `give_up`, a descriptor, becomes
// readable. Unknown if nothing can be found out.
[[nodiscard]] core::server_role ask_role(const socket_address& server, int give_up,
                                         core::duration limit);

}  // namespace turnstile::zookeeper
