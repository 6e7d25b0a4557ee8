// SPDX-License-Identifier: Apache-2.0
// program: `turnstile` with all its subcommands.
//
// Thread safety: the main thread.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.hpp"

namespace turnstile::cli {

// Adds all subcommands. The parsed subcommand sets `line.action`.
void add_commands(CLI::App& program, command_line& line);

// Parses the words and runs the subcommand. Returns the exit code. Prints an error as one line on stderr.
[[nodiscard]] int run_command_line(std::vector<std::string> words);

}  // namespace turnstile::cli
