// SPDX-License-Identifier: Apache-2.0
#include "servers/server_root.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace turnstile::testing::detail {

std::filesystem::path server_root(const char* variable) {
    const char* given = std::getenv(variable);
    if (given == nullptr || *given == '\0') return "/";
    if (!std::filesystem::is_directory(given))
        throw std::runtime_error{std::string{variable} + "=" + given + ": there is no such folder"};
    return std::filesystem::absolute(given);
}

bool is_system(const std::filesystem::path& server_root) {
    return server_root == "/";
}

}  // namespace turnstile::testing::detail
