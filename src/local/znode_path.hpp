// SPDX-License-Identifier: Apache-2.0
// znode_path: the rules for a valid path of a znode, and functions that split a path. client_accepts: the checks of a
// whole request.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "core/seam/seam.hpp"

namespace turnstile::local {

// Returns the parent of a path: "/a" for "/a/b", and "/" for "/a" and for "/".
[[nodiscard]] std::string parent_of(std::string_view path);
// Returns the last name of a path: "b" for "/a/b".
[[nodiscard]] std::string_view name_of(std::string_view path) noexcept;

// True if the path has a parent and no NUL character. The servers refuse to create or remove a znode with any other
// path.
[[nodiscard]] bool has_parent(std::string_view path) noexcept;

// client_accepts_path() checks a path as ZooKeeper's clients do before they send a request. The path of a sequential
// create may end in '/': the sequence number is then the whole name.
enum class path_use { plain, sequential };
[[nodiscard]] bool client_accepts_path(std::string_view path, path_use use) noexcept;

// Checks a path (in UTF-8) as the servers do before a write. They forbid control characters, the private use area, the
// specials, and all characters outside the basic plane.
[[nodiscard]] bool server_accepts_path(std::string_view path) noexcept;

// True for the znodes of ZooKeeper itself, which no client can remove.
[[nodiscard]] bool is_system_path(std::string_view path) noexcept;

// Makes the checks that a ZooKeeper client makes before it sends a request. Every back end refuses requests that fail
// them.
[[nodiscard]] bool client_accepts(const core::operation& op) noexcept;

}  // namespace turnstile::local
