// SPDX-License-Identifier: Apache-2.0
// make_coordinator: sessions with real ZooKeeper servers, through the C client.
//
//     auto servers = zookeeper::make_coordinator("zk1:2181,zk2:2181/shop");
//     auto session = servers->open(settings, sink);
//
// Thread safety: the coordinator and its sessions may be used from all threads, see
// core/seam/coordinator.hpp.
#pragma once

#include <memory>
#include <string_view>

#include "core/seam/coordinator.hpp"
#include "guardian/link.hpp"
#include "zookeeper/connect_string.hpp"

namespace turnstile::zookeeper {

// Throws std::system_error with `errc::bad_connect_string`. `open` of the result throws `errc::unresolvable` if no
// host has an address now: it resolves the names in the caller's thread. `guardian`, if not null, learns of each
// session before its first use, and of its close. `security`: TLS and SASL for a connect string without
// them; throws `errc::bad_option` if the connect string has them. `read_only`: its sessions may attach to read-only
// servers; throws `errc::bad_option` beside a coordinator of other servers.
[[nodiscard]] std::unique_ptr<core::coordinator> make_coordinator(
    std::string_view connect_string, std::shared_ptr<guardian::link> guardian = nullptr,
    bool read_only = false, const server_security& security = {});

}  // namespace turnstile::zookeeper
