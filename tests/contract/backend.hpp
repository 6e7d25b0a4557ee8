// SPDX-License-Identifier: Apache-2.0
// What the contract suite runs against. The suite is part of several programs: one has the
// in-memory model behind these functions, the others real servers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/seam/coordinator.hpp"

namespace turnstile::contract {

// Whether each write takes exactly one zxid, a refused one too, as at ZooKeeper's servers. Else they only grow: a later
// write that changed something has the greater one.
[[nodiscard]] bool counts_every_write();

// Else it is a create and a read of what was made, and one that was removed in between is told as `unknown`.
[[nodiscard]] bool a_create_is_one_request();

// A coordinator of the servers that all tests of this program share. `chroot` is "" or "/a".
[[nodiscard]] std::unique_ptr<core::coordinator> shared_servers(const std::string& chroot = {});

// A coordinator of servers that clean their containers as often as they can.
[[nodiscard]] std::unique_ptr<core::coordinator> cleaning_servers();
// Has the cleaner of those servers make its round, if it must be asked.
void clean_containers();

}  // namespace turnstile::contract
