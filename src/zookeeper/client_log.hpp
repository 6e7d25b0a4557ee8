// SPDX-License-Identifier: Apache-2.0
// on_client_line: brings the C client's log lines to the library's sink.
//
// The C client's levels are one step too loud for a library that deals with what they tell: a refused
// connection is an "error" there and a matter of course here. So ERROR becomes warning, WARN info,
// INFO debug and DEBUG trace. Which lines the C client makes at all is its own level's matter
// (zoo_set_debug_level, INFO by default), one for the process, which we leave to the application.
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
// Takes "2026-01-01 00:00:00,000:1(0x1):ZOO_INFO@function@123: text\n" apart; another form is
// returned whole.
[[nodiscard]] client_line parse_client_line(std::string_view line) noexcept;

}  // namespace turnstile::zookeeper
