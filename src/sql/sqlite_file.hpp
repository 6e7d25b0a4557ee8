// SPDX-License-Identifier: Apache-2.0
// sqlite_file: rules for the place, the names and the rights of a SQLite file.
//
// SQLite names a file's write-ahead log and shared memory by the file's path. Two paths of one file (a hard link, a
// bind mount of the file alone) have two logs, so two processes would each hold the same lock. So a file must have one
// name, on a file system of this host. A symbolic link is no second name: SQLite follows it before it names the log.
//
// Thread safety: from any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace turnstile::sql {

// Throws database_error if /proc does not show this process its offset to the host's clocks. Sessions end by the
// host's boot clock: without the offset, a process in a time namespace would end the sessions of others.
void check_clock_offset_is_known();

// Returns the path without symbolic links. Creates a missing file, readable only for its owner (SQLite would make it
// readable for everyone). Throws database_error if the folder is on a file system that other hosts may see.
[[nodiscard]] std::string prepare_sqlite_file(const std::string& path);

// The way from the root to a file.
struct file_route {
    // The folders, the symbolic links and the folders of their targets: after a change of one of these names the path may
    // lead to another file.
    std::vector<std::string> names{};
    std::string file{};  // without symbolic links; need not exist
};
[[nodiscard]] file_route find_route(const std::string& path);

// False if both exist and are different files, or if one does not exist. Follows symbolic links.
[[nodiscard]] bool is_same_file(const std::string& left, const std::string& right);

// Throws database_error if the file has, or may have, a second name. Returns the file's rights.
mode_t check_single_name(const std::string& path);

struct sqlite_file_look {
    std::string file;  // without symbolic links
    bool exists = false;
    std::vector<std::string> refusals{};  // messages about the file: no client opens it
    std::string danger{};                 // see danger_of_rights
};
// Creates, opens and closes nothing. Throws nothing itself: a failed check is a refusal.
[[nodiscard]] sqlite_file_look look_at_sqlite_file(const std::string& path);

// A user with the right to read the file but not to write it can stop every lock in it: a read lock on the shared
// memory's lock bytes blocks all writers. Returns a warning; empty if no such user exists.
[[nodiscard]] std::string danger_of_rights(mode_t rights);

}  // namespace turnstile::sql
