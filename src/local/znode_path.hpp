// SPDX-License-Identifier: Apache-2.0
// Paths as the servers see them: the rules that a path must keep, and how it splits.
#pragma once

#include <string>
#include <string_view>

namespace turnstile::local {

// "/a/b" -> "/a"; "/a" -> "/"; "/" -> "/".
[[nodiscard]] std::string parent_of(std::string_view path);
// "/a/b" -> "b".
[[nodiscard]] std::string_view name_of(std::string_view path) noexcept;

// What the ZooKeeper clients check before they send anything. A path for a sequential create may
// end in '/': the number is the whole name then.
enum class path_use { plain, sequential };
[[nodiscard]] bool client_accepts_path(std::string_view path, path_use use) noexcept;

// What the servers check of a path (in UTF-8) before they write to it. They forbid control
// characters, the private use area, the specials, and everything outside the basic plane.
[[nodiscard]] bool server_accepts_path(std::string_view path) noexcept;

// Nodes that the servers keep for themselves: they cannot be removed.
[[nodiscard]] bool is_system_path(std::string_view path) noexcept;

}  // namespace turnstile::local
