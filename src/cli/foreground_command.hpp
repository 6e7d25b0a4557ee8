// SPDX-License-Identifier: Apache-2.0
// foreground_command: runs a command in this process group and terminal, as if the shell had started it.
#pragma once

#include <string>
#include <vector>

#include "cli/forwarded_signals.hpp"

namespace turnstile::cli {

// Runs the command to its end, with "NAME=value" added to its environment. Returns the exit code that a shell would
// return. Forwards TERM, HUP, USR1 and USR2; the terminal itself sends INT and QUIT to the command. If this process
// dies, the kernel kills the command.
[[nodiscard]] int run_in_foreground(const std::vector<std::string>& command,
                                    const std::string& environment,
                                    const forwarded_signals& signals);

}  // namespace turnstile::cli
