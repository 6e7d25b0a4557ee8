// SPDX-License-Identifier: Apache-2.0
// held_above: the locks that this process runs under already, and what `run` does if it is started for one of them.
//
// Each `run` adds its locks to TURNSTILE_HELD in its command's environment: a line "KIND RUN PATH" for each lock. KIND
// is mutex, exclusive, shared or permits. RUN identifies the process of `run`. A nested `run` on the same path would
// wait for the outer one, and the outer one for it. A variable may outlive the hold, in a job of at(1) or a terminal
// multiplexer. So a line counts only while that process is an ancestor of this process.
#pragma once

#include <optional>
#include <string>

#include "cli/run_options.hpp"

namespace turnstile::cli {

// Returns TURNSTILE_HELD for the command of a run with these options.
[[nodiscard]] std::string held_with(const run_options& options);

// Returns nothing if `run` must acquire the lock. If an outer run holds a lock of these options, returns an exit code
// in two cases. With --reenter, the command replaces this process, and a failed exec gives the code. Without --reenter
// and without a limit of the wait, `run` refuses to wait for ever, with one line on stderr.
[[nodiscard]] std::optional<int> end_at_held_lock(const run_options& options);

}  // namespace turnstile::cli
