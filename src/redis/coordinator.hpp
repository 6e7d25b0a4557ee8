// SPDX-License-Identifier: Apache-2.0
// make_coordinator: sessions with a Redis server, through hiredis.
//
//     auto servers = redis::make_coordinator("redis://:secret@redis1:6379/shop?db=2");
//     auto session = servers->open(settings, sink);
//
// Thread safety: the coordinator and its sessions may be used from all threads, see core/seam/coordinator.hpp.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "core/seam/coordinator.hpp"
#include "guardian/link.hpp"

namespace turnstile::redis {

struct coordinator_options {
    // The interval at which a session looks for containers that have been empty for that long.
    core::duration container_interval = std::chrono::seconds{60};
    core::duration session_timeout{};            // the future sessions'
    std::shared_ptr<guardian::link> guardian{};  // null: none
};

// Throws std::system_error with `errc::bad_connect_string`. `open` of the result waits for the server's first answer,
// a second at most. It throws not_connected or server_too_old if the server must be configured differently, or has a
// tree of another release. A server that cannot be reached yet is no error.
[[nodiscard]] std::unique_ptr<core::coordinator> make_coordinator(
    std::string_view connect_string, const coordinator_options& options = {});

}  // namespace turnstile::redis
