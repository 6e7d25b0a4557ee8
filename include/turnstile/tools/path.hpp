// SPDX-License-Identifier: Apache-2.0
// Paths of znodes, for programs that take them from people and show them.
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

// The beginning of the path of a session's mark. The session's id in hexadecimal follows. Each session on ZooKeeper
// owns such a znode. If another client is given the same session id, it sees by this znode that the session is taken.
// The mark is in ZooKeeper's own folder, below no chroot.
inline constexpr std::string_view k_session_mark = "/zookeeper/turnstile-0x";

// Checks the path by ZooKeeper's rules, which hold for every kind of server, and by the library's own rule for its
// length. "/" is valid. Error: bad_path; the message names the path and the rule. Sends nothing.
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
