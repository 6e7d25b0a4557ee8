// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <fstream>
#include <string>
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

}  // namespace turnstile::tests
