// SPDX-License-Identifier: Apache-2.0
// connect_string: which server, as which user, and which tree of it, taken apart and checked.
//
//     auto parsed = redis::parse_connect_string("redis://locks:secret@redis1:6379/shop?db=2&tree=blue");
//
// The form is redis://[user[:password]@]host[:port][/chroot][?db=N&tree=name&wait=N]:
// - The port is 6379 where there is none. An IPv6 address stands in brackets.
// - User and password are percent-encoded where they have '@', ':', '/', '?' or '%'. ":password" alone is that of the
//   default user.
// - The chroot follows the rules of paths (base/path.hpp); a lone "/" means none. It is no database: that is `db`.
// - `tree`: letters, digits, '.', '-', '_'. Trees of one database know nothing of each other; in a Redis Cluster each
//   is at one node. Without it the tree has no name.
//
// - `wait`: replies count once so many replicas have acknowledged all that was written before them.
//
// Thread safety: a value and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "turnstile/result.hpp"

namespace turnstile::redis {

inline constexpr std::uint16_t k_default_port = 6379;

struct connect_string {
    std::string host;  // without brackets
    std::uint16_t port = k_default_port;
    std::string user;      // empty: the default user
    std::string password;  // empty: none
    std::string chroot;    // empty or "/a/b"
    int database = 0;
    std::string tree;
    int wait = 0;  // replicas
    friend bool operator==(const connect_string&, const connect_string&) = default;
};

// Fails with `errc::bad_connect_string`; the message names the rule and shows no password.
[[nodiscard]] result<connect_string> parse_connect_string(std::string_view text);

// "redis1:6379".
[[nodiscard]] std::string address_of(const connect_string& value);
// "redis://redis1:6379/shop?db=2&tree=blue": all but user and password.
[[nodiscard]] std::string to_string(const connect_string& value);
// What all keys of the tree begin with: "{turnstile:blue}".
[[nodiscard]] std::string key_prefix(const connect_string& value);

}  // namespace turnstile::redis
