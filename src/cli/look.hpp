// SPDX-License-Identifier: Apache-2.0
// look: `turnstile ls` and `turnstile show`, which tell of locks and take no part.
#pragma once

#include "cli/command_line.hpp"

namespace CLI {
class App;
}

namespace turnstile::cli {

void add_ls_command(CLI::App& program, command_line& line);
void add_show_command(CLI::App& program, command_line& line);

}  // namespace turnstile::cli
