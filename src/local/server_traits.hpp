// SPDX-License-Identifier: Apache-2.0
// server_traits: how the versions of ZooKeeper's servers differ, as far as a difference matters to the library.
#pragma once

namespace turnstile::local {

// The sequence number that follows 2147483647 below one parent znode.
enum class sequence_end {
    sticks,  // ZooKeeper 3.8.0: every later child gets 2147483647 again
    wraps,   // reported for other versions: -2147483648, then upwards
};

struct server_traits {
    bool has_create2 =
        true;  // false (before 3.5): servers refuse to create a znode, except in a multi request
    bool has_containers = true;  // false: servers refuse to create a container
    // True: the servers refuse `exists` on a znode that the session may not read, and set no watch, as ZooKeeper does
    // since 3.7.3, 3.8.4 and 3.9.2 (ZOOKEEPER-2590). Earlier servers answer every session.
    bool exists_needs_read = false;
    sequence_end at_sequence_end = sequence_end::sticks;
    friend bool operator==(const server_traits&, const server_traits&) = default;
};

}  // namespace turnstile::local
