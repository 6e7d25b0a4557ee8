// SPDX-License-Identifier: Apache-2.0
// file_room: reserves disk space after the end of a file that SQLite writes.
//
// The library does not use SQLITE_FCNTL_SIZE_HINT for this. Without posix_fallocate, as in Debian's build, SQLite first
// reads where the file ends, and then writes a zero byte into each block after that end. Meanwhile another process's
// checkpoint could lengthen the file, and the zeros would overwrite the new pages. fallocate(2) changes no byte.
//
// Thread safety: from any thread.
#pragma once

#include <cstdint>
#include <string>

namespace turnstile::sql {

// Lengthens the file to `length` bytes and reserves disk space for them. Does nothing if the file is already longer, if
// the disk is full, or if the file system does not support fallocate(2).
//
// The process keeps its descriptor of each such file open until the file is deleted or the process ends. POSIX requires
// this: closing any descriptor of a file releases all locks of the process on the file, including SQLite's locks.
void reserve_room(const std::string& path, std::int64_t length);

}  // namespace turnstile::sql
