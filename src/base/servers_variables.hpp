// SPDX-License-Identifier: Apache-2.0
// servers_variables: the connect string as the environment has it, for the library and the command.
//
// Thread safety: that of std::getenv.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "base/private_file.hpp"

namespace turnstile::base {

inline constexpr const char* k_servers_variable = "TURNSTILE_SERVERS";
inline constexpr const char* k_servers_file_variable = "TURNSTILE_SERVERS_FILE";

// Throws std::runtime_error: the file cannot be read, is open to other users, or its first line is empty.
[[nodiscard]] inline std::string servers_in_file(const std::string& file) {
    auto line = first_line_of_private_file(file);
    if (line.empty()) throw std::runtime_error{file + ": the first line has no connect string"};
    return line;
}

// Of TURNSTILE_SERVERS, else of the file that TURNSTILE_SERVERS_FILE names; empty if neither is set. Throws as
// servers_in_file does.
[[nodiscard]] inline std::string servers_in_environment() {
    const char* const servers = std::getenv(k_servers_variable);
    if (servers != nullptr && *servers != '\0') return servers;
    const char* const file = std::getenv(k_servers_file_variable);
    return file != nullptr && *file != '\0' ? servers_in_file(file) : std::string{};
}

}  // namespace turnstile::base
