// SPDX-License-Identifier: Apache-2.0
// scripts: one Lua script for each kind of request. The server runs a script as a whole and no other command
// meanwhile, so a script is a transaction. Their sources are in redis/lua; the build embeds them.
//
// Keys, with P = "{turnstile}" or "{turnstile:tree}": the braces keep all of a tree at one node of a Redis Cluster.
//
// | key        | type | content                                                                        |
// |------------|------|--------------------------------------------------------------------------------|
// | P:n        | hash | the rest of this table by its fields                                           |
// | - "/a/b"   |      | a znode: a record (records.hpp), then the owner's identity if it has one, then the data |
// | - "s<id>"  |      | a session's mark: connection, timeout, password, identity (lua/attach.lua)  |
// | - "q<id>"  |      | the events that the session has not fetched yet                                |
// | - "w/a/b"  |      | the sessions that watch the znode: "<id> <id> "                                |
// | - "k/a/b"  |      | the sessions that watch its children                                           |
// | - "z"      |      | the last zxid                                                                  |
// | - "d"      |      | an instant before which no session expires; P:d has the first one                 |
// | - "r"      |      | the replication id of the server                                                |
// | - "i"      |      | the time of the last check of that id                                           |
// | - "v"      |      | the version of this layout, k_layout                                            |
// | - "l"      |      | the histories that the tree has had at servers: "<began>:<last zxid before>;"...  |
// | P:d        | zset | sessions by the instant at which they expire, in microseconds of the server's clock |
// | P:r        | zset | containers that were emptied, by the instant at which they are checked          |
// | P:c:/a/b   | set  | the names of a znode's children                                                |
// | P:e:<id>   | set  | the ephemeral znodes of a session                                              |
// | P:v:<id>   | set  | the fields of a session's watches                                              |
//
// Each script first ends the due sessions. A reply has a time before which no session except the caller's own will be
// due. Thread safety: constants.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "redis/script_numbers.hpp"

namespace turnstile::redis {

enum class script { attach, close, enter, forget, poll, read, reap, write };
inline constexpr std::size_t k_script_count = 8;

// The text that EVAL takes.
[[nodiscard]] const std::string& text_of(script which);

// The same for a node of a Redis Cluster. While the tree's slot moves to another node, the server would abort a
// script in the middle of its writes as soon as it used a key that is not there (any more). So this text first checks
// for such a key.
[[nodiscard]] inline std::string text_in_cluster(const std::string& text) {
    return "redis.call('EXISTS', KEYS[1] .. '?') " + text;
}

// The keys of every script, for a tree whose keys begin with `prefix` (connect_string.hpp).
[[nodiscard]] inline std::string znodes_key(const std::string& prefix) {
    return prefix + ":n";
}
[[nodiscard]] inline std::string deadlines_key(const std::string& prefix) {
    return prefix + ":d";
}

}  // namespace turnstile::redis
