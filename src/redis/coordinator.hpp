// SPDX-License-Identifier: Apache-2.0
// make_coordinator: makes a coordinator for a Redis server, with the library hiredis.
//
//     auto servers = redis::make_coordinator("redis://:secret@redis1:6379/shop?db=2");
//     auto session = servers->open(settings, sink);
//
// Thread safety: all threads may use the coordinator and its sessions. core/seam/coordinator.hpp has the rules.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "core/seam/coordinator.hpp"
#include "guardian/guardian_link.hpp"

namespace turnstile::redis {

struct coordinator_options {
    // An empty container znode is removed after this time. Each session also looks for such znodes at this interval.
    core::duration container_interval = std::chrono::seconds{60};
    core::duration session_timeout{};  // the timeout of the sessions that the coordinator will open
    std::shared_ptr<guardian::guardian_link> guardian{};  // null: none
};

// Throws std::system_error with `errc::bad_connect_string`.
//
// The coordinator's `open` waits up to one second for the server's first reply. It throws not_connected or
// server_too_old in two cases: the server needs another configuration or version, or a release with another layout has
// written the server's tree (this library's keys). If the server cannot be reached yet, `open` succeeds.
[[nodiscard]] std::unique_ptr<core::coordinator> make_coordinator(
    std::string_view connect_string, const coordinator_options& options = {});

}  // namespace turnstile::redis
