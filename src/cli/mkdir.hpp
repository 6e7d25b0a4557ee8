// SPDX-License-Identifier: Apache-2.0
// mkdir: `turnstile mkdir`, which creates a folder, and the chroot of the connect string.
#pragma once

#include "cli/command_line.hpp"

namespace turnstile::cli {

void add_mkdir_command(CLI::App& program, command_line& line);

}  // namespace turnstile::cli
