// SPDX-License-Identifier: Apache-2.0
// log::write: passes a line of the library to the user's sink or the default sink (turnstile/log.hpp).
//
//     log::write(log_level::info, "session {:#x}: attached to {}", id, server);
//
// A line is queued for the log's thread, and the writer does not wait (src/base/log_lanes.hpp says which lines are
// dropped while the sink is blocked). So a caller may write a line while the caller holds any lock.
//
// Thread safety: from any thread; the sink gets one line at a time. A line that is written inside the sink is
// dropped.
#pragma once

#include <fmt/core.h>

#include <utility>

#include "turnstile/log.hpp"

namespace turnstile::log {

// Makes the log's objects. Called before the first client is made, so that the process ends every static client before
// the log.
void prepare();

[[nodiscard]] bool enabled(log_level level) noexcept;

// Writes an already formatted line, if its level is enabled.
void write_line(log_level level, std::string_view line) noexcept;

// Called at the end of a client. Does what flush_log does, but returns at once if an earlier call timed out and the
// sink has not returned since.
void flush_at_end() noexcept;

template <class... Args>
void write(log_level level, fmt::format_string<Args...> format, Args&&... args) noexcept {
    if (!enabled(level)) return;
    try {
        write_line(level, fmt::format(format, std::forward<Args>(args)...));
    } catch (...) {  // no memory for the line: a log line must not make a caller fail
    }
}

}  // namespace turnstile::log
