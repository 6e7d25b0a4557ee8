// SPDX-License-Identifier: Apache-2.0
// listening_socket: the socket on which a server accepts connections. Child programs do not inherit it.
//
// Thread safety: functions.
#pragma once

#include <optional>

#include "admin/http/listen_address.hpp"
#include "support/descriptor.hpp"

namespace turnstile::admin {

// Listens at `address`. If the port is 0, the kernel chooses a port, which the function stores there. Throws
// std::runtime_error.
[[nodiscard]] support::descriptor open_listening_socket(listen_address& address);

// Returns the next connection, as a non-blocking socket. If none waits, returns a closed descriptor and sets `errno`.
[[nodiscard]] support::descriptor accept_connection(int listening);

// peer_end() returns the remote address of a connection, and own_end() the local address. Both return an IPv4 address
// on an IPv6 socket as IPv4.
[[nodiscard]] std::optional<listen_address> peer_end(int connection);
[[nodiscard]] std::optional<listen_address> own_end(int connection);

}  // namespace turnstile::admin
