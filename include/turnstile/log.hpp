// SPDX-License-Identifier: Apache-2.0
// log: sets the function that gets the library's log lines.
//
// The process has one log sink: a function that gets each line. There is only one, because the ZooKeeper C client,
// which also writes to this sink, has only one log per process. By default, lines of level `warning` and above go to
// spdlog's logger "turnstile" if a logger with this name is registered, and otherwise to the standard error stream.
//
//     turnstile::set_log_sink([](turnstile::log_level level, std::string_view line) { write(level, line); });
//     turnstile::set_log_level(turnstile::log_level::info);
//
// One thread of the library calls the sink; lines wait for it in a queue. So a sink that blocks delays the log, but no
// lock, no lease and no report of a loss. The queue keeps the newest 1,024 lines of level `warning` and above, and the
// newest 1,024 lines of lower levels. When a blocked sink continues, it gets a line with the number of lines that were
// dropped. The thread starts when the first line is written.
//
// Fork. A forked child has its own queue and thread, and uses the parent's sink. Lines that were queued at the fork
// appear only in the parent's log. If the parent's thread was inside your sink at the fork, a mutex of that sink may
// stay locked for ever in the child. Then the child logs nothing, but works otherwise.
//
// End. client::close() and exit() wait up to a second until the sink has taken the queued lines. If the process ends in
// another way, the queued lines are lost; call flush_log() first.
//
// Thread safety: any thread may call these functions at any time. One thread calls the sink, one line at a time, with
// the signal mask of the thread that set the sink (for the default sink: the thread that made the first client). The
// sink must not call the library. The library ignores exceptions that the sink throws.
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

// Replaces the sink; an empty function restores the default. The call first waits up to a second until the old sink has
// taken the queued lines. When this call returns, the old sink is not running and will not be called again.
TURNSTILE_EXPORT void set_log_sink(log_sink sink);

// Sets the lowest level of lines that the library logs. The library drops lines of lower levels before it formats them.
// Default: `warning`.
TURNSTILE_EXPORT void set_log_level(log_level level);

// Waits until the sink has taken every line that was written before this call. Returns false if that takes longer than
// `limit`.
TURNSTILE_EXPORT bool flush_log(std::chrono::milliseconds limit);

}  // namespace turnstile
