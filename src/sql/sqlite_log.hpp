// SPDX-License-Identifier: Apache-2.0
// sqlite_log: a SQLite file's write-ahead log, and how space becomes free on a disk that it has filled.
//
// A commit appends to the log; a checkpoint copies the log's pages into the file, and the log begins anew. A stuck
// reader (a stopped process, another program's long transaction) prevents that, and the log grows meanwhile. Without
// help, SQLite would never recover from a disk that its log has filled: its checkpoints come only after commits
// (sqlite3WalDefaultHook in main.c), and no commit finds space any more.
//
// - After a write that found no space, the library makes a checkpoint (`make_room`).
// - A checkpoint itself needs space, for pages by which the file has to grow. So the file is always longer than the
//   database: it has room for the transactions until the next check (file_room.hpp). SQLite does not read the bytes
//   after the database's last page, and its checkpoints leave them there (SQLITE_FCNTL_CHUNK_SIZE).
//
// Thread safety: one thread at a time, the connection's.
#pragma once

#include <string>

struct sqlite3;

namespace turnstile::sql {

class sqlite_log {
public:
    // From now on checks and checkpoints follow this connection's commits. The object must not move until the
    // connection is closed.
    void attach(sqlite3* connection);

    // A checkpoint after a write for which the disk had no space. Returns the obstacle, as a clause; empty: none. The
    // connection's busy handler limits the wait for readers.
    std::string make_room();

private:
    void look();
    static int after_commit(void* self, sqlite3* connection, const char* name, int pages);

    sqlite3* connection_ = nullptr;
    int looked_at_ = 0;  // the log's pages at the last check
};

}  // namespace turnstile::sql
