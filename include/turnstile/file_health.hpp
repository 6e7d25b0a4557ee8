// SPDX-License-Identifier: Apache-2.0
// file_health: reports whether clients accept a SQLite file, and which users may disturb its locks.
//
// Use it in tools for operators, and in checks before a deployment.
//
//     const auto file = turnstile::health_of_file("sqlite:/var/lib/shop/locks.db").value();
//     for (const auto& why : file.refusals) print(file.file, why);
//
// The function creates nothing, and does not open the file: if a process closes a file, the kernel releases all POSIX
// locks that the process has on that file.
//
// Thread safety: any thread may call the function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// The report about a file.
struct file_health {
    std::string file;  // the path, without symbolic links
    bool exists =
        false;  // if false, the first client creates the file, with access for its owner only
    // Reasons why clients refuse the file, as sentences like "has 2 names (hard links), ...". Empty: clients accept it.
    std::vector<std::string> refusals{};
    // The users that can block every lock in the file, because of the file's access rights, and the remedy. Empty if no
    // other user can.
    std::string exposure{};
};

// Returns the report about the file. Errors: `bad_connect_string` (`connect_string` is not "sqlite:" with the absolute
// path of a file, or this build has no SQLite).
[[nodiscard]] TURNSTILE_EXPORT result<file_health> health_of_file(std::string_view connect_string);

}  // namespace turnstile
