// SPDX-License-Identifier: Apache-2.0
// script_numbers: constants that both the Lua scripts (scripts.hpp) and the C++ code use. core/seam has the others.
//
// Thread safety: constants.
#pragma once

namespace turnstile::redis {

// Version of the keys and their contents (scripts.hpp). Raised if a release that does not know the change would
// fail.
inline constexpr int k_layout = 1;

// A script's answer in place of a server_error if the session is not the caller's any more.
inline constexpr int k_session_gone = 100;   // ended, or has another password
inline constexpr int k_session_moved = 101;  // on a later connection
// The attach's answer if the tree has another layout; its version follows the head of the answer.
inline constexpr int k_other_layout = 102;

// The bits that describe a part of a write to the scripts. The first three are also in a znode's record.
enum part_flag : unsigned {
    k_part_ephemeral = 1,
    k_part_container = 2,
    k_part_creator_only = 4,
    k_znode_read_only = 8,  // only in a record
    k_part_sequential = 16,
    k_part_refused = 32,         // the path is invalid, or may not be removed
    k_part_bad_characters = 64,  // the path has characters that ZooKeeper's servers refuse
    k_znode_emptied = 128,       // only in a record, for a container that P:r has
};

}  // namespace turnstile::redis
