// SPDX-License-Identifier: Apache-2.0
// listen_address: a server's address, the socket that listens there, and the addresses of that socket's connections.
//
// Thread safety: a value and functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/descriptor.hpp"

namespace turnstile::admin {

// A server's address, such as "127.0.0.1:8088" or "[::1]:0".
struct listen_address {
    std::string host = "127.0.0.1";  // a numeric address, without brackets
    std::uint16_t port = 8088;       // 0: any free port
    friend bool operator==(const listen_address&, const listen_address&) = default;
};

// Parses a numeric address and a port. Throws std::runtime_error for another text. Refuses names, because they may
// resolve to another address later.
[[nodiscard]] listen_address parse_listen_address(std::string_view text);

// True if only this machine can reach the address: 127.0.0.0/8 and ::1.
[[nodiscard]] bool is_loopback(const listen_address& address);

// Returns a text such as "127.0.0.1:8088" or "[::1]:8088".
[[nodiscard]] std::string to_string(const listen_address& address);

// Returns the part of a client's address by which the server recognizes the client when it applies a limit. The part is
// a whole IPv4 address, or the /64 of an IPv6 address, because one machine usually has a /64. `address` is numeric;
// "::ffff:192.0.2.1" counts as "192.0.2.1". Another text is returned unchanged.
[[nodiscard]] std::string peer_key(const std::string& address);

// Returns a socket that listens at `address`, and that child programs do not inherit. If the port is 0, the kernel
// chooses a port, which the function stores there. Throws std::runtime_error.
[[nodiscard]] support::descriptor open_listening_socket(listen_address& address);

// Returns the next connection, as a non-blocking socket. If none waits, returns a closed descriptor and sets `errno`.
[[nodiscard]] support::descriptor accept_connection(int listening);

// peer_end() returns the remote address of a connection, and own_end() the local address. Both return an IPv4 address
// on an IPv6 socket as IPv4.
[[nodiscard]] std::optional<listen_address> peer_end(int connection);
[[nodiscard]] std::optional<listen_address> own_end(int connection);

}  // namespace turnstile::admin
