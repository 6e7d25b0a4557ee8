// SPDX-License-Identifier: Apache-2.0
// is_own_connection(): whether this process made a connection that it accepted at a loopback port.
//
// Any user of the machine can connect to a loopback port, and a TCP connection does not name its user. But if this
// process made the connection, it has the other end among its descriptors.
//
// Thread safety: from any thread.
#pragma once

namespace turnstile::zookeeper {

// `accepted`: an accepted IPv4 connection. Returns false if another process made the connection, or if this process has
// closed the other end. Looks at all descriptors of this process; without /proc, at the first 65,536.
[[nodiscard]] bool is_own_connection(int accepted) noexcept;

}  // namespace turnstile::zookeeper
