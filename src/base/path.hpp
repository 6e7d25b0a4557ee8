// SPDX-License-Identifier: Apache-2.0
// validate_path: ZooKeeper's rules for a path, checked before anything is sent. Modules have a copy of it.
//
// Purpose: the error names the value and the rule. The servers would only answer "bad arguments", or one version
// would accept a path that the next refuses. The rules are in the servers' PathUtils.validatePath (3.8), and apply to
// the path in UTF-8; the limit of the length is our own.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/result.hpp"
#include "turnstile/tools/path.hpp"

namespace turnstile::base {

// The servers refuse requests beyond jute.maxbuffer (1 MiB). When a session ends, they write one transaction for all
// its znodes, which must be shorter, too; a session owns at most 128 KiB of paths (docs/reference/limits.md). A lock
// path of this length leaves room for a few contenders.
inline constexpr std::size_t k_longest_path = std::size_t{32} * 1024;

// Fails with `errc::bad_path`. "/" is valid here.
[[nodiscard]] result<void> validate_path(std::string_view path);
// True if a path may contain it; "/" and "." only in certain places.
[[nodiscard]] bool allowed_in_path(char32_t character) noexcept;

using turnstile::child_path;

// "/a", "/a/b", "/a/b/c" for "/a/b/c"; nothing for "/".
[[nodiscard]] std::vector<std::string> path_from_root(const std::string& path);

// `text` in quotes, shortened, with all but printable ASCII written as \xNN: for messages.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace turnstile::base
