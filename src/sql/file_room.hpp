// SPDX-License-Identifier: Apache-2.0
// file_room: reserves disk space after the end of a file that SQLite writes.
//
// SQLITE_FCNTL_SIZE_HINT does not serve: if SQLite was built without posix_fallocate (as Debian's), it reads the
// file's length and then writes a zero into the last byte of each later block, with its checkpoint lock held. Without
// that lock another process may lengthen the file by a checkpoint between the read and the zeros, above all if this
// process is stopped there: then the zeros overwrite pages with data. fallocate(2) changes no byte of a file.
//
// Thread safety: any thread.
#pragma once

#include <cstdint>
#include <string>

namespace turnstile::sql {

// Lengthens the file to `length` bytes, with disk space for all of them. Does nothing for a longer file, on a full
// disk, and on a file system without fallocate(2).
//
// The process keeps one descriptor of each such file until it ends: by POSIX, closing any descriptor of a file
// releases all locks that the process has on it, including SQLite's.
void reserve_room(const std::string& path, std::int64_t length);

}  // namespace turnstile::sql
