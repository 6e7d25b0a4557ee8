// SPDX-License-Identifier: Apache-2.0
// Paths on the servers: the rules for a valid path, and functions that split it.
#pragma once

#include <string>
#include <string_view>

namespace turnstile::local {

// "/a/b" -> "/a"; "/a" -> "/"; "/" -> "/".
[[nodiscard]] std::string parent_of(std::string_view path);
// "/a/b" -> "b".
[[nodiscard]] std::string_view name_of(std::string_view path) noexcept;

// The check of the ZooKeeper clients before they send a request. A path for a sequential create may end in '/': then
// the number is the whole name.
enum class path_use { plain, sequential };
[[nodiscard]] bool client_accepts_path(std::string_view path, path_use use) noexcept;

// The servers' check of a path (in UTF-8) before a write. They forbid control characters, the private use area, the
// specials, and everything outside the basic plane.
[[nodiscard]] bool server_accepts_path(std::string_view path) noexcept;

// Znodes of ZooKeeper itself, which cannot be removed.
[[nodiscard]] bool is_system_path(std::string_view path) noexcept;

}  // namespace turnstile::local
