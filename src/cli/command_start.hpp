// SPDX-License-Identifier: Apache-2.0
// command_start: forks the command below the keeper, in a process group of its own.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cli/keeper.hpp"

namespace turnstile::cli {

struct started_command {
    pid_t pid = -1;
    int failure = 0;  // errno of fork or exec; 0: it runs
};

// Returns when the command runs or is known not to: its process id is known before any signal can be handled.
[[nodiscard]] started_command start_command(const keeper_settings& settings,
                                            const std::vector<std::string>& environment);

}  // namespace turnstile::cli
