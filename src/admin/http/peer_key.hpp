// SPDX-License-Identifier: Apache-2.0
// peer_key: returns the part of a client's address by which the server recognizes the client when it applies a limit.
//
// The part is a whole IPv4 address, or the /64 of an IPv6 address, because one machine usually has a /64.
//
// Thread safety: a pure function.
#pragma once

#include <string>

namespace turnstile::admin {

// `address` is numeric; "::ffff:192.0.2.1" counts as "192.0.2.1". Another text is returned unchanged.
[[nodiscard]] std::string peer_key(const std::string& address);

}  // namespace turnstile::admin
