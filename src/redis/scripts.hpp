// SPDX-License-Identifier: Apache-2.0
// scripts: what the server carries out, one Lua script for each kind of request. The server runs a script as a whole
// and nothing beside it, so that a script is a transaction. Their sources are in redis/lua; the build embeds them.
//
// Keys, with P = "{turnstile}" or "{turnstile:tree}": the braces keep all of a tree at one node of a Redis Cluster.
//
// | key        | type | what is in it                                                                  |
// |------------|------|--------------------------------------------------------------------------------|
// | P:n        | hash | the rest of this table by its fields                                           |
// | - "/a/b"   |      | a znode: a record (records.hpp), then the owner's identity if it has one, then the data |
// | - "s<id>"  |      | a session's mark: connection, time-out, password, identity (lua/attach.lua)  |
// | - "q<id>"  |      | the events that the session has not fetched yet                                |
// | - "w/a/b"  |      | the sessions that watch the znode: "<id> <id> "                                |
// | - "k/a/b"  |      | those that watch its children                                                  |
// | - "z"      |      | the last zxid                                                                  |
// | - "d"      |      | an instant before which no session expires; P:d has the first one                 |
// | - "r"      |      | the replication id of the server                                                |
// | - "i"      |      | when it was last looked whether it still is that                                |
// | - "v"      |      | the version of this layout, k_layout                                            |
// | - "l"      |      | the histories that the tree has had at servers: "<began>:<last zxid before>;"...  |
// | P:d        | zset | sessions by the instant at which they expire, in microseconds of the server's clock |
// | P:r        | zset | containers that were emptied, by the instant at which they are looked at        |
// | P:c:/a/b   | set  | the names of a znode's children                                                |
// | P:e:<id>   | set  | the ephemeral znodes of a session                                              |
// | P:v:<id>   | set  | the fields of the watches that a session has                                   |
//
// Each script first ends the sessions whose time has come. A reply says how long none will be due: to the instant at which
// the next one is, other than the caller's own, or sooner. Thread safety: constants.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "redis/script_numbers.hpp"

namespace turnstile::redis {

enum class script { attach, close, enter, forget, poll, read, reap, write };
inline constexpr std::size_t k_script_count = 8;

// The text, as EVAL takes it.
[[nodiscard]] const std::string& text_of(script which);

// The same for a node of a Redis Cluster. While the tree's slot is on its way to another node, a script that came upon a
// key that is not there, or not any more, would be ended by the server in the middle of its writes. This asks for a
// key of that kind first.
[[nodiscard]] inline std::string text_in_cluster(const std::string& text) {
    return "redis.call('EXISTS', KEYS[1] .. '?') " + text;
}

// The keys that every script is told, of a tree whose keys begin with `prefix` (connect_string.hpp).
[[nodiscard]] inline std::string znodes_key(const std::string& prefix) {
    return prefix + ":n";
}
[[nodiscard]] inline std::string deadlines_key(const std::string& prefix) {
    return prefix + ":d";
}

}  // namespace turnstile::redis
