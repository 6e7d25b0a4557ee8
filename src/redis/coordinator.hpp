// SPDX-License-Identifier: Apache-2.0
// make_coordinator: makes a coordinator whose sessions are with a Redis server, through the library hiredis.
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
#include "guardian/link.hpp"

namespace turnstile::redis {

struct coordinator_options {
    // The time for which a container must be empty before a session removes it, and the interval of the sessions'
    // checks.
    core::duration container_interval = std::chrono::seconds{60};
    core::duration session_timeout{};            // timeout of the later sessions
    std::shared_ptr<guardian::link> guardian{};  // null: none
};

// Throws std::system_error with `errc::bad_connect_string`. `open` of the result waits up to a second for the server's
// first answer. `open` throws not_connected or server_too_old if the server must be configured differently, or has a
// tree of another release. `open` succeeds if the server cannot be reached yet.
[[nodiscard]] std::unique_ptr<core::coordinator> make_coordinator(
    std::string_view connect_string, const coordinator_options& options = {});

}  // namespace turnstile::redis
