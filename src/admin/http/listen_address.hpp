// SPDX-License-Identifier: Apache-2.0
// listen_address: a server's address. peer_key(): the part of a client's address on which limits depend.
//
// Thread safety: a value and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace turnstile::admin
