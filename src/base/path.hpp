// SPDX-License-Identifier: Apache-2.0
// validate_path: ZooKeeper's rules for a path, checked before anything is sent. Modules have a copy of it.
//
// Purpose: an error that names the value and the rule, where the servers would only say "bad
// arguments", or accept in one version what they refuse in the next. The rules are those of the
// servers' PathUtils.validatePath (3.8), for the path in UTF-8; the length is our own.
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

// The servers refuse requests beyond jute.maxbuffer (1 MiB) and write one transaction for all
// znodes of a session that ends, which must stay below it, too; a session owns at most 128 KiB of
// paths (docs/reference/limits.md). A lock path of this length leaves room for a few contenders.
inline constexpr std::size_t k_longest_path = std::size_t{32} * 1024;

// Fails with `errc::bad_path`. "/" is valid here.
[[nodiscard]] result<void> validate_path(std::string_view path);
// Whether a path may contain it; "/" and "." only in their places.
[[nodiscard]] bool allowed_in_path(char32_t character) noexcept;

using turnstile::child_path;

// "/a", "/a/b", "/a/b/c" for "/a/b/c"; nothing for "/".
[[nodiscard]] std::vector<std::string> path_from_root(const std::string& path);

// `text` in quotes, shortened, with everything that is not printable ASCII as \xNN: for messages.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace turnstile::base
