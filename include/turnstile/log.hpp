// SPDX-License-Identifier: Apache-2.0
// log: where the library's log lines go.
//
// The process has one log sink, because the ZooKeeper C client, whose lines go there too, has one per process. By
// default lines of level `warning` and above go to spdlog's logger "turnstile" if one of that name is registered, and
// to the standard error stream otherwise.
//
//     turnstile::set_log_sink([](turnstile::log_level level, std::string_view line) { write(level, line); });
//     turnstile::set_log_level(turnstile::log_level::info);
//
// One thread of the library calls the sink; lines wait for it in a queue. So a sink that blocks delays the log, but no
// lock, no lease and no report of a loss. The queue keeps the newest 1,024 lines of level `warning` and above, and
// separately as many lines of lower levels. When a blocked sink continues, one line says how many lines were dropped.
// The thread starts with the first line.
//
// Fork. A child has its own queue and thread, and the parent's sink. Lines that were queued remain the parent's. If the
// parent's thread was inside your sink during the fork, a lock of that sink may stay taken for ever in the child. Then
// the child's log stays silent, and nothing else is affected.
//
// End. client::close() and exit() give the sink up to a second for the queued lines. A process that ends in another way
// loses them: call flush_log() first.
//
// Thread safety: any thread may call these functions at any time. One thread calls the sink, one line at a time, with
// the signal mask of the thread that set the sink (for the default sink: the thread that made the first client). The
// sink must not call the library. The library drops exceptions that it throws.
#pragma once

#include "turnstile/language.hpp"

#include <chrono>
#include <functional>
#include <string_view>

#include "turnstile/export.hpp"

namespace turnstile {

// The severity of a line. As a limit, `off` drops every line.
enum class log_level { trace, debug, info, warning, error, off };

// A function that takes one line at a time.
using log_sink = std::function<void(log_level level, std::string_view line)>;

// Replaces the sink; an empty function restores the default. The old sink has up to a second for the queued lines. When
// this call returns, the old sink is not running and will not be called again.
TURNSTILE_EXPORT void set_log_sink(log_sink sink);

// Drops lines below this level before they are formatted. Default: `warning`.
TURNSTILE_EXPORT void set_log_level(log_level level);

// Waits until the sink has taken every line that was written before this call. Returns false if that takes longer than
// `limit`.
TURNSTILE_EXPORT bool flush_log(std::chrono::milliseconds limit);

}  // namespace turnstile
