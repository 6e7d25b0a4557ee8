// SPDX-License-Identifier: Apache-2.0
// keeper_settings: the command that the keeper starts, and how it treats it.
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
    sigset_t signals{};  // the mask that the command starts with
    int status_fd = -1;  // inherited by the command
};

}  // namespace turnstile::cli
