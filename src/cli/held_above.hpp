// SPDX-License-Identifier: Apache-2.0
// held_above: finds the locks that an outer `turnstile run` already holds, if this `turnstile run` is part of its
// command.
//
// Each `run` adds a line "KIND RUN PATH" for each of its locks to TURNSTILE_HELD in its command's environment. KIND is
// mutex, exclusive, shared or permits. RUN identifies the process of `run`. Without the line, a nested `run` on the
// same path would wait for the outer `run`, and the outer `run` for its command. The variable may outlive the hold
// (at(1), terminal multiplexers). So a line counts if its `run` is an ancestor of this process. A line also counts if
// its `run` is in another PID namespace, where this process cannot see ancestors.
#pragma once

#include <optional>
#include <string>

#include "cli/run_options.hpp"

namespace turnstile::cli {

// Returns the value of TURNSTILE_HELD for the command of a run with these options.
[[nodiscard]] std::string held_with(const run_options& options);

// Returns nothing if `run` must acquire the lock. If an outer run holds the lock, there are two more cases. With
// --reenter, the command replaces this process, and the function returns an exit code only after a failure. Without
// --reenter and without a time limit, prints one line on stderr and returns an exit code, because `run` would wait for
// ever.
[[nodiscard]] std::optional<int> end_at_held_lock(const run_options& options);

// Returns nothing if an election may start at this path. If an outer run holds the path's lock, prints one line on
// stderr and returns an exit code, because the election would wait for ever.
[[nodiscard]] std::optional<int> end_at_held_election(const std::string& path);

}  // namespace turnstile::cli
