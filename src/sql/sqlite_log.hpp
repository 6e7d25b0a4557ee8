// SPDX-License-Identifier: Apache-2.0
// sqlite_log: limits the write-ahead log of a SQLite file, and recovers when the log has filled the disk.
//
// A commit appends pages to the log. A checkpoint copies the log's pages into the file, and the log restarts. A reader
// that does not end (a stopped process, a long transaction) prevents the restart, and the log grows. When the log has
// filled the disk, SQLite does not recover: it makes checkpoints only after commits (sqlite3WalDefaultHook in main.c),
// and no commit finds space.
//
// - After a write that found no space, the library makes a checkpoint (`make_room`).
// - A checkpoint needs space for the pages by which the file must grow. So the library reserves space in the file after
// the database's last page, enough for the transactions until the next check (reserve_room). SQLite does not read the
// bytes after the last page, and its checkpoints do not cut them off (SQLITE_FCNTL_CHUNK_SIZE).
//
// Thread safety: one thread at a time: the thread that uses the connection.
#pragma once

#include <string>

struct sqlite3;

namespace turnstile::sql {

class sqlite_log {
public:
    // After this call, each commit of this connection may reserve space or make a checkpoint. Do not move the object
    // until the connection is closed.
    void attach(sqlite3* connection);

    // Makes a checkpoint after a write that found no space on the disk. Returns an empty text, or a clause that says
    // what prevents the checkpoint. The connection's busy handler limits the wait for readers. The caller may call this
    // before attach(), because a new connection's first statement may already find no space.
    static std::string make_room(sqlite3* connection);

private:
    void look();
    static int after_commit(void* self, sqlite3* connection, const char* name, int pages);

    sqlite3* connection_ = nullptr;
    int looked_at_ = 0;  // length of the log in pages at the last check
};

}  // namespace turnstile::sql
