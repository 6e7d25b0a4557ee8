// SPDX-License-Identifier: Apache-2.0
// script_numbers: the constants that the Lua scripts (scripts.hpp) and the C++ code share, except the constants of
// core/seam.
//
// Thread safety: constants.
#pragma once

namespace turnstile::redis {

// The version of the keys and their contents (scripts.hpp). Raise it for every change that an older release cannot
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

}  // namespace turnstile::redis
