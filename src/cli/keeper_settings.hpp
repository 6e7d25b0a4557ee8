// SPDX-License-Identifier: Apache-2.0
// keeper_settings: the command that the keeper (the process that watches the command) starts, and how the keeper ends
// it.
#pragma once

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include "cli/supervision.hpp"

namespace turnstile::cli {

struct keeper_settings {
    std::vector<std::string> command;
    lost_policy policy = lost_policy::terminate;
    std::chrono::milliseconds grace{};
    sigset_t signals{};  // the signal mask of the command
    int status_fd = -1;  // the command inherits it
};

}  // namespace turnstile::cli
