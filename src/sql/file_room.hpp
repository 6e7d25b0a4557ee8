// SPDX-License-Identifier: Apache-2.0
// file_room: reserves disk space after the end of a file that SQLite writes.
//
// SQLITE_FCNTL_SIZE_HINT is not safe if SQLite was built without posix_fallocate, as Debian's is. SQLite then reads the
// file's length, and writes a zero into the last byte of each later block. SQLite holds its checkpoint lock meanwhile.
// If another caller did so without that lock, another process could lengthen the file by a checkpoint between the read
// and the zeros. The zeros would then overwrite pages with data. fallocate(2) changes no byte of a file.
//
// Thread safety: from any thread.
#pragma once

#include <cstdint>
#include <string>

namespace turnstile::sql {

// Lengthens the file to `length` bytes, and reserves disk space for them. Does nothing if the file is longer, if the
// disk is full, or if the file system has no fallocate(2).
//
// The process keeps one descriptor of each such file until the process ends. By POSIX, closing any descriptor of a file
// releases all locks that the process has on the file, including SQLite's locks.
void reserve_room(const std::string& path, std::int64_t length);

}  // namespace turnstile::sql
