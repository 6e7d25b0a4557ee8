// SPDX-License-Identifier: Apache-2.0
// sessions: `turnstile sessions`, the sessions with znodes below a path, and their hosts.
#pragma once

#include "cli/command_line.hpp"

namespace CLI {
class App;
}

namespace turnstile::cli {

void add_sessions_command(CLI::App& program, command_line& line);

}  // namespace turnstile::cli
