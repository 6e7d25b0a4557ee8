// SPDX-License-Identifier: Apache-2.0
// file_room: room on the disk behind the end of a file that SQLite writes.
//
// Why not SQLITE_FCNTL_SIZE_HINT: where SQLite was built without posix_fallocate (Debian's), it looks at the file's length
// and then writes a zero into the last byte of each block behind that length. SQLite does so with its checkpoint lock
// held. Outside that lock another process may lengthen the file by a checkpoint between the look and the zeros, above all
// if this process is stopped there: then the zeros hit pages with data. fallocate(2) changes no byte of a file.
//
// Thread safety: any thread.
#pragma once

#include <cstdint>
#include <string>

namespace turnstile::sql {

// Lengthens the file to `length` bytes, with room on the disk for all of them. Does nothing for a longer file, on a full
// disk, and on a file system without fallocate(2).
//
// The process keeps one descriptor of each such file until it ends: by POSIX, closing any descriptor of a file gives up
// all locks that the process has on it, SQLite's too.
void reserve_room(const std::string& path, std::int64_t length);

}  // namespace turnstile::sql
