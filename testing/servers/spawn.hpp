// SPDX-License-Identifier: Apache-2.0
// spawn: posix_spawn for the processes of the testing kit. unprivileged() and give_to_unprivileged() are for programs
// that refuse to run as root. If this process runs as root, these programs run as user `nobody`.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace turnstile::testing::detail {

// Number of the child's descriptor that is a copy of `spawn_request::link`.
inline constexpr int k_link = 3;

enum class new_group { process_group, session };

struct spawn_request {
    std::vector<std::string> command;      // the first word is a path
    std::vector<std::string> environment;  // additions "NAME=value" to this process's environment
    std::filesystem::path output;          // the output is appended to this file; empty: /dev/null
    std::filesystem::path folder;          // working folder; empty: as this process
    // Descriptor of this process that the child gets as its descriptor k_link; -1: none.
    int link = -1;
    new_group group = new_group::process_group;
};

// Starts the command with /dev/null as its input, no descriptor above 3, an empty signal mask and default signal
// handling. Throws std::system_error.
pid_t spawn(const spawn_request& request);

[[nodiscard]] std::vector<std::string> unprivileged(std::vector<std::string> command);
// If this process runs as root: makes the user `nobody` the owner of the folder, and lets all users pass through the
// parent folder. Throws std::system_error.
void give_to_unprivileged(const std::filesystem::path& folder);

}  // namespace turnstile::testing::detail
