// SPDX-License-Identifier: Apache-2.0
// sqlite_file: checks that a SQLite file's location, names and rights are safe.
//
// SQLite derives the names of the write-ahead log and of the shared memory from the file's path. A file with two paths
// (a hard link, a bind mount of the file alone) has two logs, and two processes could hold the same lock at once. So a
// file must have one name, on a local file system. Symbolic links are safe, because SQLite resolves them first.
//
// Thread safety: from any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace turnstile::sql {

// Throws database_error if /proc does not show the offset of this process's clocks from the host's. Deadlines are times
// of the host's boot clock. Without the offset, a process in a time namespace would end other processes' sessions too
// early.
void check_clock_offset_is_known();

// Returns the path with all symbolic links resolved. Creates a missing file with rights for its owner only; SQLite
// would let every user read it. Throws database_error if other hosts may use the folder's file system.
[[nodiscard]] std::string prepare_sqlite_file(const std::string& path);

struct file_route {
    // The folders and symbolic links of the path, and the folders of the links' targets. If one of these changes, the
    // path may lead to another file.
    std::vector<std::string> names{};
    std::string file{};  // with symbolic links resolved; need not exist
};
[[nodiscard]] file_route find_route(const std::string& path);

// True if both paths lead to the same existing file. Follows symbolic links.
[[nodiscard]] bool is_same_file(const std::string& left, const std::string& right);

// Returns the mode of the file. Throws database_error if the file has a second name, or may have one.
mode_t check_single_name(const std::string& path);

struct sqlite_file_look {
    std::string file;  // with symbolic links resolved
    bool exists = false;
    std::vector<std::string> refusals{};  // reasons why no client opens the file, as messages
    std::string danger{};                 // the warning of danger_of_rights()
};
// Does not create, open or close a file. Throws nothing: a failed check becomes a refusal.
[[nodiscard]] sqlite_file_look look_at_sqlite_file(const std::string& path);

// Returns a warning if every user may read or write the file, or if its group may only read it; otherwise an empty
// text. A user with read access can stop every lock in the file, because a read lock on certain bytes of the shared
// memory blocks all writers.
[[nodiscard]] std::string danger_of_rights(mode_t rights);

}  // namespace turnstile::sql
