// SPDX-License-Identifier: Apache-2.0
// run: `turnstile run PATH... -- COMMAND ...`, a command that runs while a lock is held.
#pragma once

#include "cli/command_line.hpp"

namespace turnstile::cli {

// Adds the subcommand. Its action runs while the process has one thread, and returns the exit code; what went wrong is
// one line on stderr.
void add_run_command(CLI::App& program, command_line& line);

}  // namespace turnstile::cli
