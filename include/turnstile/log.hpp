// Where the library's log lines go.
//
// Purpose: one sink for the process, because the ZooKeeper C client, whose lines go there too, has
// one for the process. By default lines of level `warning` and above go to spdlog's logger
// "turnstile" on the standard error stream.
//
//     turnstile::set_log_sink([](turnstile::log_level level, std::string_view line) { ... });
//     turnstile::set_log_level(turnstile::log_level::info);
//
// Thread safety: both functions may be called at any time from any thread. A sink is called from
// several threads, one line at a time; it must not call the library. What it throws is dropped.
#pragma once

#include <functional>
#include <string_view>

#include "turnstile/export.hpp"

namespace turnstile {

enum class log_level { trace, debug, info, warning, error, off };

using log_sink = std::function<void(log_level level, std::string_view line)>;

// Replaces the sink; an empty one brings the default back. When it returns, the old sink is not
// running and will not be called again.
TURNSTILE_EXPORT void set_log_sink(log_sink sink);

// Lines below this level are dropped before they are formatted. Default: `warning`.
TURNSTILE_EXPORT void set_log_level(log_level level);

}  // namespace turnstile
