// SPDX-License-Identifier: Apache-2.0
// validate_path: ZooKeeper's rules for a path, checked before any request is sent. Each back end's shared library, such
// as libturnstile-redis, contains a copy of this code.
//
// The client checks paths so that the error names the value and the rule. A server would only answer "bad arguments",
// and the next version of a server might refuse a path that the present version accepts. The rules are in the servers'
// PathUtils.validatePath (3.8), and apply to the path in UTF-8. The limit of the length is Turnstile's own.
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

// The servers refuse requests that are longer than jute.maxbuffer (1 MiB). When a session ends, a server writes one
// transaction with the paths of all znodes of the session. This transaction must not be longer than jute.maxbuffer
// either. So a session owns at most 128 KiB of paths (docs/reference/limits.md). A lock path of this length leaves room
// for a few contenders.
inline constexpr std::size_t k_longest_path = std::size_t{32} * 1024;

// Fails with `errc::bad_path` if the path breaks a rule. "/" is valid here.
[[nodiscard]] result<void> validate_path(std::string_view path);
// True if a path may contain the character. For "/" and "." further rules apply.
[[nodiscard]] bool allowed_in_path(char32_t character) noexcept;

using turnstile::child_path;

// Returns the path and all its ancestors: "/a", "/a/b", "/a/b/c" for "/a/b/c". Returns nothing for "/".
[[nodiscard]] std::vector<std::string> path_from_root(const std::string& path);

// Returns `text` for a message: in quotes, shortened, with all but printable ASCII written as \xNN.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace turnstile::base
