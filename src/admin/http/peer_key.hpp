// SPDX-License-Identifier: Apache-2.0
// peer_key: the part of a client's address for which limits count.
//
// An IPv4 address counts as a whole. An IPv6 address counts by its /64, because one machine usually owns a /64.
//
// Thread safety: a pure function.
#pragma once

#include <string>

namespace turnstile::admin {

// `address` is numeric; "::ffff:192.0.2.1" counts as "192.0.2.1". A text that is not an address is its own key.
[[nodiscard]] std::string peer_key(const std::string& address);

}  // namespace turnstile::admin
