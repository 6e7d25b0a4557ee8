// SPDX-License-Identifier: Apache-2.0
// on_client_line: sends the C client's log lines to the library's sink.
//
// The C client's levels are one step too loud for a library that handles these events: a refused connection is an
// "error" there and normal here. So ERROR becomes warning, WARN info, INFO debug and DEBUG trace. The C client's own
// level decides which lines it writes at all (zoo_set_debug_level, INFO by default): it exists once in the process,
// and the application controls it.
//
// Thread safety: from any thread.
#pragma once

#include <string_view>

#include "turnstile/log.hpp"

namespace turnstile::zookeeper {

// Matches log_callback_fn.
void on_client_line(const char* line) noexcept;

struct client_line {
    log_level level = log_level::info;
    std::string_view text;
};
// Parses "2026-01-01 00:00:00,000:1(0x1):ZOO_INFO@function@123: text\n"; returns another form
// unchanged.
[[nodiscard]] client_line parse_client_line(std::string_view line) noexcept;

}  // namespace turnstile::zookeeper
