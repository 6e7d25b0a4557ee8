// SPDX-License-Identifier: Apache-2.0
// bench: `turnstile bench`, how fast locks go round on the user's own servers.
#pragma once

#include "cli/command_line.hpp"

namespace CLI {
class App;
}

namespace turnstile::cli {

void add_bench_command(CLI::App& program, command_line& line);

}  // namespace turnstile::cli
