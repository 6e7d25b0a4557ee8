// SPDX-License-Identifier: Apache-2.0
// log_standard: the default sink of the log: the logger "turnstile" that the application has registered with spdlog, or
// the standard error stream. The class standard_writer writes the lines.
#pragma once

#include "base/log_lanes.hpp"

namespace turnstile::log {

// Makes spdlog's registry now, so that the registry is destroyed after all objects that are made later.
void make_spdlog_registry();
// Writes a line to the application's logger. Returns false if there is no such logger, or if the library is built
// without spdlog (TURNSTILE_WITH_SPDLOG). Thread safety: from any thread.
[[nodiscard]] bool write_to_spdlog(const waiting_line& line);

// Thread safety: one thread.
class standard_writer {
public:
    // Reads the offset of local time, and makes spdlog's registry, so that the registry is destroyed after all later
    // objects.
    static void prepare();
    // Called in a forked child. Afterwards the writer makes no call of the C library that could wait for a lock: a
    // thread of the parent may have held that lock at the fork, so the lock may stay locked in the child.
    static void in_child() noexcept;

    // `look_up`: true if the writer may use the application's logger. It is false in a child that was forked while a
    // thread of its parent may have been in spdlog: spdlog's locks may then stay locked for ever.
    explicit standard_writer(bool look_up) : look_up_{look_up} {}

    void write(const waiting_line& line);

private:
    const bool look_up_;
};

}  // namespace turnstile::log
