// SPDX-License-Identifier: Apache-2.0
// The servers for the contract suite. Each program with the suite implements these functions: one with the in-memory
// model, the others with real servers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/seam/coordinator.hpp"

namespace turnstile::contract {

// Returns true if each write takes exactly one zxid, even a refused write, as on ZooKeeper. On other servers zxids only
// grow: of two writes that change data, the later one has the larger zxid.
[[nodiscard]] bool counts_every_write();

// Returns false if a create consists of two requests: a create and a read of the new node. If the node is removed in
// between, the reply is `unknown`.
[[nodiscard]] bool a_create_is_one_request();

// Returns a coordinator of the servers that all tests of this program share. `chroot` is "" or "/a".
[[nodiscard]] std::unique_ptr<core::coordinator> shared_servers(const std::string& chroot = {});

// Returns a coordinator of servers that clean their containers as often as they can.
[[nodiscard]] std::unique_ptr<core::coordinator> cleaning_servers();
// Makes the cleaner of these servers run, if it does not run by itself.
void clean_containers();

}  // namespace turnstile::contract
