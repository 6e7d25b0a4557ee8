// SPDX-License-Identifier: Apache-2.0
// What servers say of themselves: their roles by the command "srvr", their pace by "conf", over connections of their
// own. Many ensembles allow only the first (4lw.commands.whitelist).
//
// Thread safety: from any thread.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// tickTime and syncLimit in an answer to "conf"; nothing for anything else.
[[nodiscard]] std::optional<core::server_pace> parse_pace(std::string_view answer) noexcept;

// Of one server.
struct server_answers {
    core::server_role role = core::server_role::unknown;
    std::optional<core::server_pace> pace{};
};

// The answer to a four-letter word. Blocks until it is there, `limit` has passed, or `give_up`, a descriptor, becomes
// readable. Empty if there is none.
[[nodiscard]] std::string ask_server(const socket_address& server, std::string_view word,
                                     int give_up, core::duration limit);

// The first that says that it has the role; all are asked at once. Blocks as ask_server does.
[[nodiscard]] std::optional<socket_address> find_role(const std::vector<socket_address>& servers,
                                                      core::server_role wanted, int give_up,
                                                      core::duration limit);

}  // namespace turnstile::zookeeper
