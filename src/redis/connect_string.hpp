// SPDX-License-Identifier: Apache-2.0
// connect_string: which server, as which user, and which tree of it, taken apart and checked.
//
//     auto parsed = redis::parse_connect_string("redis://locks:secret@redis1:6379/shop?db=2&tree=blue");
//
// | servers            | form                                                                             |
// |--------------------|----------------------------------------------------------------------------------|
// | one server         | redis://[user[:password]@]host[:port][/chroot][?options]                           |
// | a Redis Cluster    | the same, with one or several of its nodes: host[:port][,host[:port]]...           |
// | Sentinel's master  | redis+sentinel://[user[:password]@]host[:port][,host[:port]].../name[/chroot][?options] |
//
// "rediss" in place of "redis" is the same with TLS, to sentinels, too.
//
// - The port is 6379 where there is none, a sentinel's 26379. An IPv6 address stands in brackets.
// - User and password are percent-encoded where they have '@', ':', '/', '?' or '%'. ":password" alone is that of the
//   default user. With sentinels they are those of the servers.
// - `name`: by which the sentinels know the master.
// - The chroot follows the rules of paths (base/path.hpp); a lone "/" means none. It is no database: that is `db`.
//
// | option                               | what it is                                                     |
// |--------------------------------------|----------------------------------------------------------------|
// | db                                   | the number of the database                                     |
// | tree                                 | letters, digits, '.', '-', '_'. Trees of one database know nothing of each other; in a Redis Cluster each is at one node. Without it the tree has no name |
// | wait                                 | replies count once so many replicas have acknowledged all that was written before them |
// | stay_out                             | seconds that a server which may have lost what it knew is not used after its start |
// | sentinel_username, sentinel_password | of the sentinels, percent-encoded like those of the servers    |
// | ca_file, cert_file, key_file         | with TLS: what to trust, and what to show (tls.hpp); percent-encoded |
// | verify                               | with TLS: full, ca (a known authority, any name), none         |
//
// Thread safety: a value and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redis/server_address.hpp"
#include "redis/tls.hpp"
#include "turnstile/result.hpp"

namespace turnstile::redis {

inline constexpr std::uint16_t k_default_port = 6379;
inline constexpr std::uint16_t k_default_sentinel_port = 26379;

// Of a server, or of the sentinels. No password: none is told.
struct credentials {
    std::string user;  // empty: the default user
    std::string password;
    friend bool operator==(const credentials&, const credentials&) = default;
};

struct connect_string {
    std::vector<server_address> servers;  // the server, nodes of a cluster, or the sentinels
    std::string master;  // by which name sentinels know it; empty: there are no sentinels
    credentials login;
    credentials sentinel_login;
    std::string chroot;  // empty or "/a/b"
    int database = 0;
    std::string tree;
    int wait = 0;      // replicas
    int stay_out = 0;  // seconds; 0: never
    tls_settings tls;
    [[nodiscard]] bool has_sentinels() const noexcept { return !master.empty(); }
    friend bool operator==(const connect_string&, const connect_string&) = default;
};

// Fails with `errc::bad_connect_string`; the message names the rule and shows no password.
[[nodiscard]] result<connect_string> parse_connect_string(std::string_view text);

// "redis://redis1:6379/shop?db=2&tree=blue": all but users, passwords and the options of TLS.
[[nodiscard]] std::string to_string(const connect_string& value);
// What all keys of the tree begin with: "{turnstile:blue}".
[[nodiscard]] std::string key_prefix(const connect_string& value);

}  // namespace turnstile::redis
