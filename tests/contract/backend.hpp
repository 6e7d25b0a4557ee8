// SPDX-License-Identifier: Apache-2.0
// The servers for the tests that every kind of server must pass (the contract suite). Each program with these tests
// implements the functions here: one program in memory, the others with real servers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/seam/coordinator.hpp"

namespace turnstile::contract {

// Returns true if each write takes one zxid, even a refused write, as in ZooKeeper. In other servers, zxids only grow
// with the writes that change data.
[[nodiscard]] bool counts_every_write();

// Returns false if a create is two requests: a create, and a read of the new node. If the node is removed in between,
// the reply is `unknown`.
[[nodiscard]] bool a_create_is_one_request();

// Returns a coordinator of the servers that the program's tests share. `chroot` is "" or "/a".
[[nodiscard]] std::unique_ptr<core::coordinator> shared_servers(const std::string& chroot = {});

// Returns a coordinator of servers that delete empty containers as often as possible.
[[nodiscard]] std::unique_ptr<core::coordinator> cleaning_servers();
// Makes these servers delete empty containers now, if they do not do that by themselves.
void clean_containers();

}  // namespace turnstile::contract
