// SPDX-License-Identifier: Apache-2.0
// peer_key: the part of a client's address that limits are counted by.
//
// An IPv4 address counts by itself. An IPv6 address counts with its /64, which a single machine has to itself.
//
// Thread safety: a pure function.
#pragma once

#include <string>

namespace turnstile::admin {

// `address` is numeric; "::ffff:192.0.2.1" counts as "192.0.2.1". A text that is no address is its own key.
[[nodiscard]] std::string peer_key(const std::string& address);

}  // namespace turnstile::admin
