// SPDX-License-Identifier: Apache-2.0
// command_start: forks the command as a child of the keeper (the process that watches the command, cli/keeper.hpp), in
// a new process group.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cli/keeper_orders.hpp"
#include "cli/process_guard.hpp"
#include "support/descriptor.hpp"

namespace turnstile::cli {

struct started_command {
    pid_t pid = -1;
    support::descriptor exec{};  // closed by exec; readable if exec fails
    int failure = 0;             // errno of fork
};

// Returns when the child process exists and has its group. From then on, a signal to the group ends the child, even
// while exec waits for a file server.
[[nodiscard]] started_command start_command(const keeper_settings& settings,
                                            const process_guard& guard,
                                            const std::vector<std::string>& environment);

// True while exec is in progress. If the child gets SIGKILL before the end of exec, the program never runs.
[[nodiscard]] bool is_under_way(const support::descriptor& exec) noexcept;
// Returns the errno of a failed exec, or 0. Blocks until exec has ended.
[[nodiscard]] int failure_of(const support::descriptor& exec) noexcept;

// Returns the message for a command whose exec failed with this errno.
[[nodiscard]] std::string failure_text(const std::vector<std::string>& command, int failure);

}  // namespace turnstile::cli
