// SPDX-License-Identifier: Apache-2.0
// dev: `turnstile dev`, private ZooKeeper servers for as long as it runs.
#pragma once

#include "cli/command_line.hpp"

namespace CLI {
class App;
}

namespace turnstile::cli {

void add_dev_command(CLI::App& program, command_line& line);

}  // namespace turnstile::cli
