// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite_log.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "support/descriptor.hpp"

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

using file_identity = std::pair<dev_t, ino_t>;

// A thread that uses a descriptor shares it, so that no other thread closes it meanwhile.
using shared_file = std::shared_ptr<const support::descriptor>;

class open_files {
public:
    // Returns an open descriptor of the file; nothing if the file cannot be opened. Opens the file at the first call,
    // and keeps it open.
    shared_file descriptor_of(const std::string& path) {
        struct stat found {};
        if (::stat(path.c_str(), &found) != 0) return {};
        const std::lock_guard guard{mutex_};
        const auto known = files_.find({found.st_dev, found.st_ino});
        if (known != files_.end()) return known->second;
        close_deleted();
        auto file =
            std::make_shared<const support::descriptor>(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        if (!file->open() || ::fstat(file->get(), &found) != 0) return {};
        // Another process may have renamed a file to this path since stat(), so the map needs the opened file's own
        // numbers. If the map has this file already, it keeps both descriptors.
        files_.emplace(file_identity{found.st_dev, found.st_ino}, file);
        return file;
    }

private:
    // No process can open a deleted file any more, so its locks protect nothing.
    void close_deleted() {
        std::erase_if(files_, [](const auto& each) {
            struct stat found {};
            return ::fstat(each.second->get(), &found) == 0 && found.st_nlink == 0;
        });
    }

    std::mutex mutex_;
    std::multimap<file_identity, shared_file> files_;
};

// Lengthens the file to `length` bytes and reserves disk space for them. Does nothing if the file is already longer, if
// the disk is full, or if the file system does not support fallocate(2). From any thread.
//
// The process keeps its descriptor of each such file open until the file is deleted or the process ends. POSIX requires
// this: closing any descriptor of a file releases all locks of the process on the file, including SQLite's locks.
//
// The library does not use SQLITE_FCNTL_SIZE_HINT for this. Without posix_fallocate, as in Debian's build, SQLite first
// reads where the file ends, and then writes a zero byte into each block after that end. Meanwhile another process's
// checkpoint could lengthen the file, and the zeros would overwrite the new pages. fallocate(2) changes no byte.
void reserve_room(const std::string& path, std::int64_t length) {
    static open_files& files = *new open_files;
    const auto file = files.descriptor_of(path);
    struct stat found {};
    if (!file || ::fstat(file->get(), &found) != 0 || found.st_size >= length) return;
    while (::fallocate(file->get(), 0, 0, length) != 0 && errno == EINTR) {
    }
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
