// SPDX-License-Identifier: Apache-2.0
// run: `turnstile run PATH... -- COMMAND ...`, a command that runs while a lock is held.
#pragma once

#include "cli/run_options.hpp"

namespace turnstile::cli {

// Call it while the process has one thread. Returns the exit code; what went wrong is one line on stderr.
[[nodiscard]] int run(run_options& options);

}  // namespace turnstile::cli
