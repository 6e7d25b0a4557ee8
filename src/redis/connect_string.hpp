// SPDX-License-Identifier: Apache-2.0
// redis_address: a parsed connect string. It has the servers, the credentials, and the name of the tree. The tree is
// the set of keys that contains the znodes (scripts.hpp).
//
//     auto parsed = redis::parse_connect_string("redis://locks:secret@redis1:6379/shop?db=2&tree=blue");
//
// | servers            | form                                                                                       |
// |--------------------|--------------------------------------------------------------------------------------------|
// | one server         | redis://[user[:password]@]host[:port][/chroot][?options]                                   |
// | a Redis Cluster    | the same, with the addresses of one or several nodes: host[:port][,host[:port]]...         |
// | Sentinel's master  | redis+sentinel://[user[:password]@]host[:port][,host[:port]].../name[/chroot][?options]    |
//
// "rediss" in place of "redis" means a connection with TLS, also to the sentinels.
//
// - The default port is 6379, for sentinels 26379. An IPv6 address is written in brackets.
// - User and password must be percent-encoded if they contain '@', ':', '/', '?' or '%'. ":password" alone means the
// default user. With sentinels, these credentials are for the Redis servers.
// - `name`: the sentinels' name for the master.
// - The chroot follows the rules for paths (base/path.hpp). A lone "/" means no chroot. The option `db` selects the
// database.
//
// | option                               | meaning                                                                 |
// |--------------------------------------|-------------------------------------------------------------------------|
// | db                                   | the number of the database                                              |
// | tree                                 | the tree's name: letters, digits, '.', '-', '_'. The trees of one       |
// |                                      | database are independent. In a Redis Cluster, one node has all keys of  |
// |                                      | a tree. Default: the tree without a name                                |
// | wait                                 | the number of replicas that must acknowledge all earlier writes before  |
// |                                      | the client accepts a reply                                              |
// | stay_out                             | for this number of seconds after a server's start, clients do not use   |
// |                                      | the server, if it may have lost data at the start                       |
// | sentinel_username, sentinel_password | the credentials for the sentinels, percent-encoded                      |
// | ca_file, cert_file, key_file         | with TLS: the trusted authority, the client's certificate, and its key  |
// |                                      | (tls/tls.hpp); percent-encoded                                          |
// | verify                               | with TLS: what the client checks in the server's certificate. full: the |
// |                                      | authority and the name; ca: only the authority; none: nothing           |
//
// Thread safety: a value and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redis/server_address.hpp"
#include "tls/tls.hpp"
#include "turnstile/result.hpp"

namespace turnstile::redis {

inline constexpr std::uint16_t k_default_port = 6379;
inline constexpr std::uint16_t k_default_sentinel_port = 26379;

// Credentials for a server or a sentinel. Without a password, the client does not log in.
struct credentials {
    std::string user;  // empty: the default user
    std::string password;
    friend bool operator==(const credentials&, const credentials&) = default;
};

struct redis_address {
    std::vector<server_address> servers;  // the server, the cluster's nodes, or the sentinels
    std::string master;                   // the sentinels' name of the master; empty: no sentinels
    credentials login;
    credentials sentinel_login;
    std::string chroot;  // empty or "/a/b"
    int database = 0;
    std::string tree;
    int wait = 0;      // replicas that must acknowledge writes
    int stay_out = 0;  // seconds; 0: no such time
    tls::settings tls;
    [[nodiscard]] bool has_sentinels() const noexcept { return !master.empty(); }
    friend bool operator==(const redis_address&, const redis_address&) = default;
};

// Fails with `errc::bad_connect_string`. The message names the violated rule and contains no password.
[[nodiscard]] result<redis_address> parse_connect_string(std::string_view text);

// Returns a text such as "redis://redis1:6379/shop?db=2&tree=blue", without credentials and TLS options.
[[nodiscard]] std::string to_string(const redis_address& value);
// Returns the prefix of all keys of the tree, such as "{turnstile:blue}".
[[nodiscard]] std::string key_prefix(const redis_address& value);

}  // namespace turnstile::redis
