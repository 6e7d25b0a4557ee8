// SPDX-License-Identifier: Apache-2.0
// on_client_line: passes the log lines of the C client to the log of this library.
//
// The C client's levels are one step too high for a library that handles the events itself: a refused connection is an
// error for the C client, and normal for the library. So ERROR becomes warning, WARN info, INFO debug, and DEBUG trace.
// The C client's own level decides which lines it writes at all (zoo_set_debug_level; default INFO). The process has
// only one such level, and the application controls it.
//
// Thread safety: from any thread.
#pragma once

#include <string_view>

#include "turnstile/log.hpp"

namespace turnstile::zookeeper {

// Has the type log_callback_fn of the C client.
void on_client_line(const char* line) noexcept;

struct client_line {
    log_level level = log_level::info;
    std::string_view text;
};
// Parses "2026-01-01 00:00:00,000:1(0x1):ZOO_INFO@function@123: text\n". Returns a line of another form unchanged.
[[nodiscard]] client_line parse_client_line(std::string_view line) noexcept;

}  // namespace turnstile::zookeeper
