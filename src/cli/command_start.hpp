// SPDX-License-Identifier: Apache-2.0
// command_start: forks the command below the keeper, in a process group of its own.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cli/keeper_settings.hpp"
#include "cli/process_guard.hpp"
#include "support/descriptor.hpp"

namespace turnstile::cli {

struct started_command {
    pid_t pid = -1;
    support::descriptor exec{};  // ends with exec; readable if that fails
    int failure = 0;             // errno of fork
};

// Returns when the process is there that is to become the command, in its group: a signal to that ends it, also while
// exec waits for a file server that does not answer.
[[nodiscard]] started_command start_command(const keeper_settings& settings,
                                            const process_guard& guard,
                                            const std::vector<std::string>& environment);

// Whether exec has neither succeeded nor failed yet. A process that has been sent SIGKILL by then never runs the
// program.
[[nodiscard]] bool is_under_way(const support::descriptor& exec) noexcept;
// errno of an exec that has failed, else 0. Waits while it is under way.
[[nodiscard]] int failure_of(const support::descriptor& exec) noexcept;

}  // namespace turnstile::cli
