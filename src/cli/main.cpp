// SPDX-License-Identifier: Apache-2.0
// The program `turnstile`: fair distributed locks for shells.
#include "cli/commands.hpp"
#include "cli/standard_streams.hpp"

int main(int count, char** words) {
    turnstile::cli::reserve_standard_streams();
    return turnstile::cli::run_command_line({words + 1, words + count});
}
