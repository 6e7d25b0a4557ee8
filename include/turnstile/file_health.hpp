// SPDX-License-Identifier: Apache-2.0
// file_health: whether clients accept a SQLite file, and which users may disturb its locks.
//
// Use it in tools for operators, and in checks before a deployment.
//
//     const auto file = turnstile::health_of_file("sqlite:/var/lib/shop/locks.db").value();
//     for (const auto& why : file.refusals) print(file.file, why);
//
// The function creates, opens and closes nothing, because close() would give up the locks that the calling process has
// on the file.
//
// Thread safety: any thread may call it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// The report about a file.
struct file_health {
    std::string file;     // the path, without symbolic links
    bool exists = false;  // if false, the first client creates it, for its owner only
    // Reasons why clients refuse the file, as sentences like "has 2 names (hard links), ...". Empty: they open it.
    std::vector<std::string> refusals{};
    // Which users may stop every lock in the file, by its access rights, and the remedy; empty if no other user may.
    std::string exposure{};
};

// Returns the report. Errors: `bad_connect_string` (not "sqlite:" with the absolute path of a file, or a build without
// SQLite).
[[nodiscard]] TURNSTILE_EXPORT result<file_health> health_of_file(std::string_view connect_string);

}  // namespace turnstile
