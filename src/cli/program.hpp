// SPDX-License-Identifier: Apache-2.0
// program: `turnstile`, all its subcommands, and the one that its words ask for.
//
// Thread safety: the main thread.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.hpp"

namespace turnstile::cli {

// All subcommands. The one that is parsed sets `line.action`.
void add_commands(CLI::App& program, command_line& line);

// Reads the words and does what they say. Returns the exit code; what went wrong is one line on stderr.
[[nodiscard]] int run_command_line(std::vector<std::string> words);

}  // namespace turnstile::cli
