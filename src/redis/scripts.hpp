// SPDX-License-Identifier: Apache-2.0
// scripts: the Lua scripts, one for each kind of request. The server executes no other command while a script runs, so
// a script is a transaction. The build embeds the sources from redis/lua.
//
// The keys. P is "{turnstile}" or "{turnstile:tree}". Because of the braces, a Redis Cluster keeps all keys of a tree
// at one node.
//
// | key        | type | content                                                                                |
// |------------|------|----------------------------------------------------------------------------------------|
// | P:n        | hash | the fields that the next rows describe                                                 |
// | - "/a/b"   |      | a znode: the head of its record (records.hpp), the creator's identity if only the      |
// |            |      | creator may change the znode, the data                                                 |
// | - "s<id>"  |      | a session's mark: connection, timeout, password, identity (lua/attach.lua)             |
// | - "q<id>"  |      | the events that the session has not fetched yet                                        |
// | - "w/a/b"  |      | the sessions that watch the znode: "<id> <id> "                                        |
// | - "k/a/b"  |      | the sessions that watch the children of the znode                                      |
// | - "z"      |      | the last zxid                                                                          |
// | - "d"      |      | an instant before which no session expires; P:d has the first deadline                 |
// | - "r"      |      | the replication id of the server                                                       |
// | - "i"      |      | the time of the last check of the replication id                                       |
// | - "v"      |      | the version of this layout, k_layout                                                   |
// | - "l"      |      | "<began>:<zxid>;" for each history of the tree (lua/history.lua): the time at which    |
// |            |      | the history began, and the last zxid before that time                                  |
// | P:d        | zset | sessions by the instant at which they expire, in microseconds of the server's clock    |
// | P:r        | zset | containers that were emptied, by the instant at which they are checked                 |
// | P:c:/a/b   | set  | the names of a znode's children                                                        |
// | P:e:<id>   | set  | the ephemeral znodes of a session                                                      |
// | P:v:<id>   | set  | the fields of a session's watches                                                      |
//
// Each script first ends the sessions that have expired. Its answer says how long it takes until another session
// expires.
// Thread safety: constants.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace turnstile::redis {

// ---- the constants that the scripts and the C++ code share, except the constants of core/seam ----
// The version of the keys and their contents. Raise it for every change that an older release cannot
// handle.
inline constexpr int k_layout = 1;

// A script answers with these codes, instead of a server_error, if the session no longer belongs to the caller.
inline constexpr int k_session_gone = 100;   // the session has ended, or has another password
inline constexpr int k_session_moved = 101;  // the session is on a later connection
// The attach script's code if the tree's layout is not k_layout. The version of the tree's layout follows the answer's
// head.
inline constexpr int k_other_layout = 102;

// Flags. A write consists of one or several parts, and each part has its own flags in the script's arguments. A znode's
// record contains the first three flags, too.
enum part_flag : unsigned {
    k_part_ephemeral = 1,
    k_part_container = 2,
    k_part_creator_only = 4,
    k_znode_read_only = 8,  // only in a znode's record
    k_part_sequential = 16,
    k_part_refused = 32,         // the path is invalid, or ZooKeeper forbids its removal
    k_part_bad_characters = 64,  // the path has characters that ZooKeeper's servers refuse
    k_znode_emptied = 128,       // only in a record: the key P:r has the container
};

enum class script { attach, close, enter, forget, poll, read, reap, write };
inline constexpr std::size_t k_script_count =
    static_cast<std::size_t>(script::write) + 1;  // `write` is the last script

// Returns the text of the script, as EVAL expects it.
[[nodiscard]] const std::string& text_of(script which);

// Returns the script's text for a node of a Redis Cluster. While the tree's keys move to another node, the server
// aborts a script at the first key that has already moved, perhaps between two writes. So the text first accesses a key
// that never exists: the server then aborts the script before any write.
[[nodiscard]] inline std::string text_in_cluster(const std::string& text) {
    return "redis.call('EXISTS', KEYS[1] .. '?') " + text;
}

// znodes_key() and deadlines_key() return the two keys that every script gets. `prefix`: the prefix of the tree's keys
// (connect_string.hpp).
[[nodiscard]] inline std::string znodes_key(const std::string& prefix) {
    return prefix + ":n";
}
[[nodiscard]] inline std::string deadlines_key(const std::string& prefix) {
    return prefix + ":d";
}

}  // namespace turnstile::redis
