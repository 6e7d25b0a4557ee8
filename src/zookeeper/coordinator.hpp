// SPDX-License-Identifier: Apache-2.0
// make_coordinator: makes a coordinator that opens sessions at ZooKeeper servers, through the C client.
//
//     auto servers = zookeeper::make_coordinator("zk1:2181,zk2:2181/shop");
//     auto session = servers->open(settings, sink);
//
// Thread safety: all threads may use the coordinator and its sessions. core/seam/coordinator.hpp has the rules.
#pragma once

#include <memory>
#include <string_view>

#include "core/seam/coordinator.hpp"
#include "guardian/guardian_link.hpp"
#include "zookeeper/connect_string.hpp"

namespace turnstile::zookeeper {

// Throws std::system_error with `errc::bad_connect_string`. `open` of the result resolves the names in the caller's
// thread, and throws `errc::unresolvable` if no host has an address. `guardian` (the process that closes the sessions
// if this process crashes), if not null, learns of each session before its first use, and of its close. `security`:
// TLS, SASL or both; throws `errc::bad_option` if the connect string and `security` both enable TLS, or both enable
// SASL. `read_only`: the sessions may attach to read-only servers; throws `errc::bad_option` with TLS or SASL, and
// while the process has a coordinator for other servers.
[[nodiscard]] std::unique_ptr<core::coordinator> make_coordinator(
    std::string_view connect_string, std::shared_ptr<guardian::guardian_link> guardian = nullptr,
    bool read_only = false, const server_security& security = {});

}  // namespace turnstile::zookeeper
