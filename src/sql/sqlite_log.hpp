// SPDX-License-Identifier: Apache-2.0
// sqlite_log: a SQLite file's write-ahead log, and how a disk that it has filled becomes free again.
//
// A commit appends to the log; a checkpoint copies the log's pages into the file, and the log begins anew. A reader that
// stands still (a process that is stopped, another program's long transaction) keeps the log from beginning anew, and
// it grows for as long. Left to itself, SQLite would stay for good on a disk that its log has filled: its checkpoints come
// behind commits only (sqlite3WalDefaultHook in main.c), and no commit finds room any more.
//
// - A write that found no room is followed by a checkpoint of its own (`make_room`).
// - A checkpoint needs room itself, for pages by which the file has to grow. So the file is always longer than the
//   database by what transactions bring until the next look (file_room.hpp). SQLite does not read what is behind the
//   database's last page, and its checkpoints leave it there (SQLITE_FCNTL_CHUNK_SIZE).
//
// Thread safety: one thread at a time, the connection's.
#pragma once

#include <string>

struct sqlite3;

namespace turnstile::sql {

class sqlite_log {
public:
    // Of this connection from now on: its commits are followed by looks and checkpoints. It must not move until the
    // connection is closed.
    void attach(sqlite3* connection);

    // A checkpoint, behind a write for which the disk had no room. What is in its way, as a clause; empty: nothing.
    // The connection's busy handler says for how long readers are waited for.
    std::string make_room();

private:
    void look();
    static int after_commit(void* self, sqlite3* connection, const char* name, int pages);

    sqlite3* connection_ = nullptr;
    int looked_at_ = 0;  // the log's pages at the last look
};

}  // namespace turnstile::sql
