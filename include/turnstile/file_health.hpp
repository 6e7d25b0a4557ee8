// SPDX-License-Identifier: Apache-2.0
// file_health: whether clients open a SQLite file, and which users may disturb its locks, for operators and for checks
// before a deployment.
//
//     const auto file = turnstile::health_of_file("sqlite:/var/lib/shop/locks.db").value();
//     for (const auto& why : file.refusals) print(file.file, why);
//
// Nothing is made, opened or closed: close() would give up the locks that the calling process has on the file.
//
// Thread safety: functions, from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

struct file_health {
    std::string file;     // the path, without symbolic links
    bool exists = false;  // if not, the first client makes it, for its owner only
    // Sentences about the file, such as "has 2 names (hard links), ...". A client opens no file that has one.
    std::vector<std::string> refusals{};
    // Which users may stop every lock in the file, by its rights, and the remedy; empty if none may.
    std::string exposure{};
};

// Errors: bad_connect_string (no "sqlite:" with the whole path of a file, or a build without SQLite).
[[nodiscard]] TURNSTILE_EXPORT result<file_health> health_of_file(std::string_view connect_string);

}  // namespace turnstile
