// SPDX-License-Identifier: Apache-2.0
// watch: `turnstile watch`, a live view of all locks below a folder, or of one lock and its queue.
#pragma once

#include "cli/command_line.hpp"

namespace CLI {
class App;
}

namespace turnstile::cli {

void add_watch_command(CLI::App& program, command_line& line);

}  // namespace turnstile::cli
