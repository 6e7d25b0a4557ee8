// SPDX-License-Identifier: Apache-2.0
// listening_socket: the socket that a server accepts connections from; a command that the program starts inherits none.
//
// Thread safety: functions.
#pragma once

#include <optional>

#include "admin/http/listen_address.hpp"
#include "support/descriptor.hpp"

namespace turnstile::admin {

// Listens at `address`, which gets the port that was chosen if it has none. Throws std::runtime_error.
[[nodiscard]] support::descriptor open_listening_socket(listen_address& address);

// The next connection, non-blocking. Not open if none waits; `errno` says why.
[[nodiscard]] support::descriptor accept_connection(int listening);

// The peer's and the server's end of a connection. An IPv4 address that an IPv6 socket shows is written as IPv4.
[[nodiscard]] std::optional<listen_address> peer_end(int connection);
[[nodiscard]] std::optional<listen_address> own_end(int connection);

}  // namespace turnstile::admin
