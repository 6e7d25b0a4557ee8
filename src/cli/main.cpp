// SPDX-License-Identifier: Apache-2.0
// turnstile: locks of a ZooKeeper ensemble from the command line.
#include "cli/command_line.hpp"
#include "cli/standard_streams.hpp"

int main(int count, char** words) {
    turnstile::cli::reserve_standard_streams();
    return turnstile::cli::run_command_line({words + 1, words + count});
}
