// SPDX-License-Identifier: Apache-2.0
// foreground_command: a command that runs as if the shell had started it: in our process group, with our terminal.
#pragma once

#include <string>
#include <vector>

#include "cli/forwarded_signals.hpp"

namespace turnstile::cli {

// Runs it to its end with "NAME=value" added to the environment; the exit code as a shell counts it. TERM, HUP, USR1
// and USR2 go on to it; INT and QUIT come from the terminal, which sends them to it, too. It dies with this process.
[[nodiscard]] int run_in_foreground(const std::vector<std::string>& command,
                                    const std::string& environment,
                                    const forwarded_signals& signals);

}  // namespace turnstile::cli
