// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace turnstile::testing::detail {

// Returns the folder with a server's programs: the value of the environment variable `variable`, or "/" without this
// variable. Throws std::runtime_error if the folder does not exist.
[[nodiscard]] std::filesystem::path server_root(const char* variable);

// Returns true for "/", which means this system's programs.
[[nodiscard]] bool is_system(const std::filesystem::path& server_root);

}  // namespace turnstile::testing::detail
