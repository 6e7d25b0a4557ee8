// SPDX-License-Identifier: Apache-2.0
// log::write: the library's own lines, to the sink of turnstile/log.hpp.
//
//     log::write(log_level::info, "session {:#x}: attached to {}", id, server);
//
// A line waits in a queue for the log's thread; the writer does not wait (src/base/log_lanes.hpp says which lines
// are dropped when the sink stands still). So it may be written under any lock.
//
// Thread safety: from any thread; lines reach the sink one at a time. A line that is written from
// inside the sink is dropped.
#pragma once

#include <fmt/core.h>

#include <utility>

#include "turnstile/log.hpp"

namespace turnstile::log {

// Before the first client is there: what the log needs is made, so that it ends after every static client.
void prepare();

[[nodiscard]] bool enabled(log_level level) noexcept;

// Writes a line that is formatted already, if the level is enabled.
void write_line(log_level level, std::string_view line) noexcept;

// For the end of a client: as flush_log, but returns at once where a wait like this one was in vain and the sink
// has not moved since.
void flush_at_end() noexcept;

template <class... Args>
void write(log_level level, fmt::format_string<Args...> format, Args&&... args) noexcept {
    if (!enabled(level)) return;
    try {
        write_line(level, fmt::format(format, std::forward<Args>(args)...));
    } catch (...) {  // no memory for the line: a log line is no reason to fail
    }
}

}  // namespace turnstile::log
