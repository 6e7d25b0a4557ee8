// SPDX-License-Identifier: Apache-2.0
// script_numbers: constants that the Lua scripts (scripts.hpp) and the C++ code both use. core/seam has the others.
//
// Thread safety: constants.
#pragma once

namespace turnstile::redis {

// Version of the keys and of what is in them (scripts.hpp). Raised where a release that does not know of the change would
// go wrong.
inline constexpr int k_layout = 1;

// What a script answers in place of a server_error where the session is not the caller's any more.
inline constexpr int k_session_gone = 100;   // it has ended, or has another password
inline constexpr int k_session_moved = 101;  // it is on a later connection
// The same of the attach alone: the tree has another layout, whose version stands behind the head of the answer.
inline constexpr int k_other_layout = 102;

// What the scripts are told of a part of a write (bits). The first three stand in a znode's record, too.
enum part_flag : unsigned {
    k_part_ephemeral = 1,
    k_part_container = 2,
    k_part_creator_only = 4,
    k_znode_read_only = 8,  // only in a record
    k_part_sequential = 16,
    k_part_refused = 32,         // the path is none, or may not be removed
    k_part_bad_characters = 64,  // the path has characters that ZooKeeper's servers refuse
    k_znode_emptied = 128,       // only in a record, of a container that P:r has
};

}  // namespace turnstile::redis
