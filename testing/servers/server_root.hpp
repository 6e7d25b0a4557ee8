// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace turnstile::testing::detail {

// Returns the folder that has a server's program: the value of this environment variable, or "/" if the variable is not
// set. Throws std::runtime_error if there is no such folder.
[[nodiscard]] std::filesystem::path server_root(const char* variable);

// Returns true if the root is this system's.
[[nodiscard]] bool is_system(const std::filesystem::path& server_root);

}  // namespace turnstile::testing::detail
