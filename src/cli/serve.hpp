// SPDX-License-Identifier: Apache-2.0
// serve: `turnstile serve`, the admin page and its interface.
#pragma once

#include "cli/command_line.hpp"

namespace CLI {
class App;
}

namespace turnstile::cli {

void add_serve_command(CLI::App& program, command_line& line);

}  // namespace turnstile::cli
