// SPDX-License-Identifier: Apache-2.0
// held_above: the locks under which this process runs already, and what `run` does at one of them.
//
// Each `run` adds its locks to TURNSTILE_HELD in its command's environment, a line "KIND RUN PATH" for each; KIND is
// mutex, exclusive, shared or permits. A second `run` at such a path would wait for the first, and the first for it.
// RUN names the process of `run`. A variable may outlive the hold, in a job of at(1) or a terminal multiplexer: a line
// counts only while that process is an ancestor of this one.
//
// Thread safety: call it while the process has one thread.
#pragma once

#include <optional>
#include <string>

#include "cli/run_options.hpp"

namespace turnstile::cli {

// TURNSTILE_HELD for the command of a run with these options.
[[nodiscard]] std::string held_with(const run_options& options);

// The exit code if the options name a lock that is held above: of the refusal to wait for it without a limit, which is
// one line on stderr, or with --reenter of an exec that failed. Nothing: the lock is to be acquired.
[[nodiscard]] std::optional<int> end_at_held_lock(const run_options& options);

}  // namespace turnstile::cli
