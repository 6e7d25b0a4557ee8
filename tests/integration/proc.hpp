// SPDX-License-Identifier: Apache-2.0
// Reads from /proc the children and the open files of a process.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace turnstile::tests {

// Returns the ids of a process's children, which it finds in /proc.
inline std::vector<pid_t> children_of(pid_t parent) {
    const auto number = std::to_string(parent);
    std::ifstream list{"/proc/" + number + "/task/" + number + "/children"};
    std::vector<pid_t> all;
    for (pid_t child = 0; list >> child;) all.push_back(child);
    return all;
}

// Returns the files of a process's descriptors. Returns none if this user may not read them.
inline std::set<std::string> open_files(pid_t process) {
    std::set<std::string> found;
    std::error_code ignored;
    const auto folder = "/proc/" + std::to_string(process) + "/fd";
    for (const auto& entry : std::filesystem::directory_iterator{folder, ignored})
        found.insert(std::filesystem::read_symlink(entry, ignored).string());
    return found;
}

}  // namespace turnstile::tests
