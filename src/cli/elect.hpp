// SPDX-License-Identifier: Apache-2.0
// elect: `turnstile elect`, a command that runs on one machine of several: while its `elect` leads.
#pragma once

#include "cli/command_line.hpp"

namespace CLI {
class App;
}

namespace turnstile::cli {

void add_elect_command(CLI::App& program, command_line& line);

}  // namespace turnstile::cli
