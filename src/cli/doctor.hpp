// SPDX-License-Identifier: Apache-2.0
// doctor: `turnstile doctor`, which looks for what is wrong with servers, settings and a path, and says what to do.
#pragma once

#include "cli/command_line.hpp"

namespace CLI {
class App;
}

namespace turnstile::cli {

void add_doctor_command(CLI::App& program, command_line& line);

}  // namespace turnstile::cli
