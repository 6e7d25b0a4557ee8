// SPDX-License-Identifier: Apache-2.0
// sqlite_log: the write-ahead log of a SQLite file, and the recovery of a disk that the log has filled.
//
// A commit appends pages to the log. A checkpoint copies the log's pages into the file, and the log begins anew. A
// reader that does not end (a stopped process, a long transaction of another program) prevents that, and the log grows.
// SQLite itself never recovers from a disk that its log has filled. It makes checkpoints only after commits
// (sqlite3WalDefaultHook in main.c), and no commit finds space any more.
//
// - After a write that found no space, the library makes a checkpoint (`make_room`).
// - A checkpoint itself needs space for the pages by which the file must grow. So the library always keeps the file
// longer than the database, with room for the transactions until the next check (file_room.hpp). SQLite does not read
// the bytes after the database's last page, and its checkpoints leave these bytes in the file
// (SQLITE_FCNTL_CHUNK_SIZE).
//
// Thread safety: one thread at a time: the thread that uses the connection.
#pragma once

#include <string>

struct sqlite3;

namespace turnstile::sql {

class sqlite_log {
public:
    // From now on, checks and checkpoints follow the commits of this connection. The object must not move until the
    // connection is closed.
    void attach(sqlite3* connection);

    // Makes a checkpoint after a write for which the disk had no space. Returns a clause that names the obstacle, or an
    // empty text. The connection's busy handler limits the wait for readers.
    std::string make_room();

private:
    void look();
    static int after_commit(void* self, sqlite3* connection, const char* name, int pages);

    sqlite3* connection_ = nullptr;
    int looked_at_ = 0;  // length of the log in pages at the last check
};

}  // namespace turnstile::sql
