// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite_log.hpp"

#include <fmt/core.h>
#include <sqlite3.h>

#include "sql/file_room.hpp"

namespace turnstile::sql {
namespace {

// If a commit makes the log this long, the library makes a checkpoint. SQLite's default limit is the same.
constexpr int k_pages_to_checkpoint = 1'000;
constexpr int k_pages_to_look = 100;
// The number of bytes that the library reserves in the file after the database's last page, so that a checkpoint needs
// no new disk space. look() renews this reserve when the log has grown by k_pages_to_look pages. A request has at most
// 1 MiB, so the reserve lasts until look() renews it. If the disk lacks space for the reserve, the log cannot grow by
// 2 MiB either.
constexpr int k_file_step = 2 << 20;

sqlite3_int64 number_of(sqlite3* connection, const char* question) {
    sqlite3_stmt* asked = nullptr;
    sqlite3_int64 answer = 0;
    if (::sqlite3_prepare_v2(connection, question, -1, &asked, nullptr) == SQLITE_OK &&
        ::sqlite3_step(asked) == SQLITE_ROW)
        answer = ::sqlite3_column_int64(asked, 0);
    ::sqlite3_finalize(asked);
    return answer;
}

}  // namespace

void sqlite_log::attach(sqlite3* connection) {
    connection_ = connection;
    looked_at_ = 0;
    int step = k_file_step;
    ::sqlite3_file_control(connection_, "main", SQLITE_FCNTL_CHUNK_SIZE, &step);
    const auto limit = k_pages_to_checkpoint * number_of(connection_, "PRAGMA main.page_size");
    const auto cut = fmt::format("PRAGMA main.journal_size_limit = {}", limit);
    ::sqlite3_exec(connection_, cut.c_str(), nullptr, nullptr, nullptr);
    ::sqlite3_wal_hook(connection_, after_commit, this);
    look();
}

// Renews the reserve: the disk space after the database's last page (k_file_step). If the disk is too full for the
// reserve, a later write reports that.
void sqlite_log::look() {
    const sqlite3_int64 length = number_of(connection_, "PRAGMA main.page_count") *
                                     number_of(connection_, "PRAGMA main.page_size") +
                                 k_file_step;
    reserve_room(::sqlite3_db_filename(connection_, "main"), length);
}

// SQLite calls this function after each commit, without locks. If the checkpoint fails here, a later checkpoint copies
// the same pages.
int sqlite_log::after_commit(void* self, sqlite3* connection, const char* name, int pages) {
    auto& me = *static_cast<sqlite_log*>(self);
    if (pages < me.looked_at_) me.looked_at_ = 0;
    if (pages >= me.looked_at_ + k_pages_to_look) {
        me.looked_at_ = pages;
        me.look();
    }
    if (pages >= k_pages_to_checkpoint) ::sqlite3_wal_checkpoint(connection, name);
    return SQLITE_OK;
}

std::string sqlite_log::make_room(sqlite3* connection) {
    int pages = 0;
    const int code = ::sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_TRUNCATE,
                                                 &pages, nullptr);
    if ((code & 0xff) != SQLITE_BUSY) return {};
    return fmt::format(
        "a read transaction, perhaps of a stopped program, prevents SQLite from freeing the {} "
        "pages of the write-ahead log",
        pages);
}

}  // namespace turnstile::sql
