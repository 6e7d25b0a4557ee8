// SPDX-License-Identifier: Apache-2.0
// Where the library's log lines go.
//
// Purpose: one sink for the process, because the ZooKeeper C client, whose lines go there too, has
// one for the process. By default lines of level `warning` and above go to the logger "turnstile", if one of that name
// is registered with spdlog, and to the standard error stream otherwise.
//
//     turnstile::set_log_sink([](turnstile::log_level level, std::string_view line) { write(level, line); });
//     turnstile::set_log_level(turnstile::log_level::info);
//
// Lines wait in a queue for one thread of the library, which calls the sink: a sink that blocks holds up
// the log, and no lock, lease or loss. The queue keeps the newest 1,024 lines of level `warning` and above, and
// as many below it, which cannot push the former out. When the sink moves again, a line says how many were
// dropped. The thread starts with the first line.
//
// A forked child has a queue and a thread of its own, and the parent's sink; the lines that waited are the
// parent's. If the parent's thread was inside a sink of yours at the fork, a lock of that sink may be taken
// for ever in the child; its log then stays silent, and nothing else does.
//
// The end: a client's close, and the end of the process by exit(), give the sink up to a second to take what
// waits. What waits is lost when a process ends in another way: call flush_log() first.
//
// Thread safety: all functions may be called at any time from any thread. The sink is called by one
// thread, a line at a time, with the signal mask of the thread that set it (the default sink: that made the first
// client). It must not call the library. What it throws is dropped.
#pragma once

#include "turnstile/language.hpp"

#include <chrono>
#include <functional>
#include <string_view>

#include "turnstile/export.hpp"

namespace turnstile {

enum class log_level { trace, debug, info, warning, error, off };

using log_sink = std::function<void(log_level level, std::string_view line)>;

// Replaces the sink; an empty one brings the default back. The old one is given up to a second for the lines
// that wait. When it returns, the old sink is not running and will not be called again.
TURNSTILE_EXPORT void set_log_sink(log_sink sink);

// Lines below this level are dropped before they are formatted. Default: `warning`.
TURNSTILE_EXPORT void set_log_level(log_level level);

// Waits until the sink has taken every line that was written before the call; false if it has not within
// `limit`.
TURNSTILE_EXPORT bool flush_log(std::chrono::milliseconds limit);

}  // namespace turnstile
