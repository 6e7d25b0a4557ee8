// SPDX-License-Identifier: Apache-2.0
// sqlite_file: the rules for the place, the names and the rights of a SQLite file.
//
// SQLite derives the names of the write-ahead log and of the shared memory from the file's path. If a file has two
// paths (a hard link, a bind mount of the file alone), it has two logs. Then two processes could hold the same lock at
// once. So a file must have only one name, on a file system of this host. A symbolic link is no second name: SQLite
// follows it before it names the log.
//
// Thread safety: from any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace turnstile::sql {

// Throws database_error if this process cannot read from /proc the offset of its clocks from the host's clocks.
// Deadlines are times of the host's boot clock. Without the offset, a process in a time namespace would end the
// sessions of other processes too early.
void check_clock_offset_is_known();

// Returns the path without symbolic links. Creates a missing file that only its owner may read, while SQLite would let
// every user read it. Throws database_error if the folder is on a file system that other hosts may use.
[[nodiscard]] std::string prepare_sqlite_file(const std::string& path);

// The names on the way from the root to a file.
struct file_route {
    // The folders and the symbolic links on the way, and the folders of the links' targets. If one of these names
    // changes, the path may lead to another file.
    std::vector<std::string> names{};
    std::string file{};  // without symbolic links; need not exist
};
[[nodiscard]] file_route find_route(const std::string& path);

// True if both paths lead to the same existing file. Follows symbolic links.
[[nodiscard]] bool is_same_file(const std::string& left, const std::string& right);

// Throws database_error if the file has, or may have, a second name. Returns the rights of the file.
mode_t check_single_name(const std::string& path);

struct sqlite_file_look {
    std::string file;  // without symbolic links
    bool exists = false;
    std::vector<std::string> refusals{};  // reasons why no client opens the file, as messages
    std::string danger{};                 // the warning of danger_of_rights()
};
// Creates, opens and closes no file. Throws nothing: a check that fails becomes a refusal.
[[nodiscard]] sqlite_file_look look_at_sqlite_file(const std::string& path);

// Returns a warning if a user may read the file but not write it; otherwise an empty text. Such a user can stop every
// lock in the file: a read lock on certain bytes of the shared memory blocks all writers.
[[nodiscard]] std::string danger_of_rights(mode_t rights);

}  // namespace turnstile::sql
