// SPDX-License-Identifier: Apache-2.0
// Functions for paths of znodes, for programs that read paths from users and show them.
//
//     if (const auto valid = turnstile::validate_path("/locks//orders"); !valid)
//         print("bad path", valid.error().message());
//     print("a contender of", turnstile::child_path("/locks/orders", "lock-0000000007"));
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "turnstile/export.hpp"
#include "turnstile/language.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// The beginning of the path of a session's mark; the session's id in hexadecimal follows. The mark is a znode that each
// session on ZooKeeper owns. If the servers give the same session id to another client, that client sees by the mark
// that the session is in use. The mark is in ZooKeeper's folder "/zookeeper", outside of any chroot.
inline constexpr std::string_view k_session_mark = "/zookeeper/turnstile-0x";

// Checks the path by ZooKeeper's rules, which the library applies to every kind of server. Also checks the library's
// limit for the length of a path. "/" is valid. Error: bad_path; the message names the path and the rule. Sends
// nothing.
[[nodiscard]] TURNSTILE_EXPORT result<void> validate_path(std::string_view path);

// Returns the path of the child `name` of `folder`, which may be "/".
[[nodiscard]] inline std::string child_path(std::string_view folder, std::string_view name) {
    std::string path;
    path.reserve(folder.size() + 1 + name.size());
    path += folder;
    if (folder != "/") path += '/';
    path += name;
    return path;
}

}  // namespace turnstile
