// SPDX-License-Identifier: Apache-2.0
// path_option: a CLI11 option whose value is a path, which is checked before any request.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "turnstile/tools/path.hpp"

namespace turnstile::cli {

// Checks the path by the servers' rules. Throws CLI::ParseError with the path and the violated rule.
inline void check_path(const std::string& path) {
    if (const auto good = validate_path(path); !good)
        throw CLI::ParseError{good.error().detail(), k_usage};
}

// Checks the path of a lock: as check_path() does, and then whether the path may have a lock. Throws CLI::ParseError.
inline void check_lock_path(const std::string& path) {
    check_path(path);
    if (path == "/") throw CLI::ParseError{"path \"/\": the root cannot be a lock's path", k_usage};
    if (path == "/zookeeper" || path.starts_with("/zookeeper/"))
        throw CLI::ParseError{
            "path \"" + path + "\": /zookeeper belongs to the servers, and can have no lock",
            k_usage};
}

// Adds an option for a folder; "/" is allowed.
inline CLI::Option* add_folder_path(CLI::App& command, const std::string& name,
                                    std::string& target) {
    return command.add_option_function<std::string>(name, [&target](const std::string& path) {
        check_path(path);
        target = path;
    });
}

inline CLI::Option* add_lock_path(CLI::App& command, const std::string& name, std::string& target) {
    return command.add_option_function<std::string>(name, [&target](const std::string& path) {
        check_lock_path(path);
        target = path;
    });
}

}  // namespace turnstile::cli
