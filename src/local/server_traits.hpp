// SPDX-License-Identifier: Apache-2.0
// Differences between servers of different versions that matter to the library.
#pragma once

namespace turnstile::local {

// The sequence numbers of a folder after 2147483647.
enum class sequence_end {
    sticks,  // ZooKeeper 3.8.0: every later node gets 2147483647 again
    wraps,   // reported of other versions: -2147483648, then upwards
};

struct server_traits {
    bool has_create2 =
        true;  // false (before 3.5): every create that is outside a multi is unimplemented
    bool has_containers = true;  // false: a container create is unimplemented
    // `exists` on a node that the session may not read is refused, and sets no watch: ZooKeeper since 3.7.3, 3.8.4
    // and 3.9.2 (ZOOKEEPER-2590). Earlier servers answer every session.
    bool exists_needs_read = false;
    sequence_end at_sequence_end = sequence_end::sticks;
    friend bool operator==(const server_traits&, const server_traits&) = default;
};

}  // namespace turnstile::local
