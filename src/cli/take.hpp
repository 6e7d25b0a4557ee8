// SPDX-License-Identifier: Apache-2.0
// take: `turnstile ask` and `turnstile take`, by which an operator gets a holder out of the way.
//
// `take` has two phases: the holder is asked and has some time to go by itself; then it is ordered to, and its znode is
// deleted when its hold cannot be valid any more (turnstile/revocation.hpp). Both act on the very znode that was
// shown: if another one stands there by now, nothing is done.
#pragma once

#include "cli/command_line.hpp"

namespace CLI {
class App;
}

namespace turnstile::cli {

void add_ask_command(CLI::App& program, command_line& line);
void add_take_command(CLI::App& program, command_line& line);

}  // namespace turnstile::cli
