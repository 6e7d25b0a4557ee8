// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite_database.hpp"

#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/duration_text.hpp"
#include "base/never_destroyed.hpp"
#include "sql/sqlite_file.hpp"

namespace turnstile::sql {
namespace {

using std::chrono::microseconds;

constexpr microseconds k_first_busy_pause{20};
constexpr microseconds k_longest_busy_pause{1000};
// When the write-ahead log has filled the disk, a checkpoint waits at most this long for readers to end.
constexpr std::chrono::milliseconds k_patience_for_room{100};

}  // namespace

sqlite_database::sqlite_database(sqlite_settings settings)
    : settings_{std::move(settings)}, patience_{settings_.patience, settings_.closing} {}

void sqlite_database::disconnect() noexcept {
    for (const auto& [text, statement] : statements_) ::sqlite3_finalize(statement);
    statements_.clear();
    if (db_ != nullptr) ::sqlite3_close_v2(db_);
    db_ = nullptr;
    log_file_.reset();
}

// ---- transactions -------------------------------------------------------------------------------

void sqlite_database::begin(access how) {
    patience_.begin();
    taken_number_ = 0;
    forget_answers();
    run(how == access::write ? "BEGIN IMMEDIATE" : "BEGIN");
    const bool renamed = bell_.take_renamed();
    const bool attached = log_file_.has_value();
    if (how == access::write || renamed) check_in_place();
    if (how == access::write && attached) check_contents();
}

// Throws `lost` if the path leads to another file, or if the log was removed. Then other processes could get locks that
// this process holds, and this process's writes would be lost. A removed log may exist again, because the next process
// that opens the file creates a log. Each write makes this check, and so does each confirmation (a write that only
// checks znodes). A read makes this check only if inotify has reported a rename on the file's path.
void sqlite_database::check_in_place() {
    int moved = 0;
    ::sqlite3_file_control(db_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    const auto log = log_in_place();
    const char* const file = ::sqlite3_db_filename(db_, "main");
    if (moved != 0 || !log || (log_file_ && log_file_ != log) ||
        !is_same_file(settings_.path, file)) {
        rollback();
        throw database_error{failure::lost, settings_.path,
                             "was replaced while it was open, or its write-ahead log was removed"};
    }
    try {
        static_cast<void>(check_single_name(file));
    } catch (...) {
        rollback();
        throw;
    }
}

// Throws `lost` if the file's transaction number is smaller than a number that this client has seen: the file was
// replaced by an older copy. The copy lacks the later transactions, and would assign their numbers again.
void sqlite_database::check_contents() {
    const auto found =
        run("SELECT CAST(value AS INTEGER) FROM turnstile_meta WHERE name = 'number'").rows;
    const auto number = found.empty() ? -1 : to_integer(found.front().front());
    if (number < last_number_) {
        last_number_ = 0;
        rollback();
        throw database_error{failure::lost, settings_.path,
                             "has older contents than this client has seen: a copy was put "
                             "back while clients had it open"};
    }
    last_number_ = number;
}

std::optional<std::pair<dev_t, ino_t>> sqlite_database::log_in_place() const {
    struct stat found {};
    const char* const log = ::sqlite3_filename_wal(::sqlite3_db_filename(db_, "main"));
    if (::stat(log, &found) != 0) return std::nullopt;
    return std::pair{found.st_dev, found.st_ino};
}

// Wakes the sessions `to_wake` after the commit. If the process dies between the commit and the wake-ups, the kernel
// closes the file of the process's session, and the close wakes the other sessions. Each session also polls from time
// to time.
void sqlite_database::commit(std::span<const std::int64_t> to_wake) {
    run("COMMIT");
    last_number_ = std::max(last_number_, taken_number_);
    for (const std::int64_t session : to_wake) files_->ring(session);
}

bool sqlite_database::rollback() noexcept {
    if (db_ != nullptr && ::sqlite3_get_autocommit(db_) == 0)
        ::sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
    return db_ != nullptr;
}

// Called while another connection has locked the file. Waits with short pauses, because transactions are short.
// SQLite's own handler lengthens its pauses up to 100 ms, and a waiting transaction would often miss the moments at
// which the file is free.
int sqlite_database::wait_for_turn(void* self, int tries) noexcept {
    if (static_cast<const sqlite_database*>(self)->patience_.is_over()) return 0;
    const auto pause = k_first_busy_pause * (1 << std::min(tries, 6));
    std::this_thread::sleep_for(std::min<microseconds>(pause, k_longest_busy_pause));
    return 1;
}

// Called after a write found no space on the disk. A checkpoint must run outside a transaction, so the failed
// transaction is rolled back first; SQLite itself may already have rolled it back.
std::string sqlite_database::make_room() {
    rollback();
    patience_.begin(std::min(settings_.patience, k_patience_for_room));
    return sqlite_log::make_room(db_);
}

void sqlite_database::check(int code, const char* doing) {
    const int kind = code & 0xff;
    if (kind == SQLITE_OK || kind == SQLITE_ROW || kind == SQLITE_DONE) return;
    std::string text = fmt::format("{}: {}: {}", settings_.path, doing,
                                   db_ != nullptr ? ::sqlite3_errmsg(db_) : ::sqlite3_errstr(code));
    const bool same_key = code == SQLITE_CONSTRAINT_PRIMARYKEY || code == SQLITE_CONSTRAINT_UNIQUE;
    if (code == SQLITE_BUSY_SNAPSHOT || same_key) throw database_error{failure::retry, text};
    if (kind == SQLITE_BUSY && patience_.is_closing())
        throw database_error{failure::lost, settings_.path,
                             "another process had the file's write lock while the session closed"};
    if (kind == SQLITE_BUSY)
        throw database_error{
            failure::lost, settings_.path,
            fmt::format(
                "another process or a transaction of another program has had the file's write lock "
                "for {}, or a user who may read the file's shared memory has locked that "
                "memory",
                base::duration_text(settings_.patience))};
    if ((kind == SQLITE_FULL || code == SQLITE_IOERR_SHMSIZE) && db_ != nullptr)
        if (const std::string why = make_room(); !why.empty()) text += ": " + why;
    // SQLite's text for these two errors lacks the cause, which is in the system's error number.
    if ((kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN) && db_ != nullptr)
        if (const int error = ::sqlite3_system_errno(db_); error != 0)
            text += ": " + std::generic_category().message(error);
    // The disk failed. If it failed during the commit, the commit may prove complete when the file is opened again, so
    // the outcome is unknown.
    if (kind == SQLITE_IOERR) throw database_error{failure::lost, text};
    if (kind == SQLITE_READONLY || kind == SQLITE_PERM)
        throw database_error{failure::fatal, settings_.path,
                             "may not be written by this user, who needs the right to write to "
                             "its folder, too: " +
                                 text};
    if (kind == SQLITE_NOTADB)
        throw database_error{failure::fatal, settings_.path, "is no SQLite file"};
    throw database_error{failure::fatal, text};
}

sqlite3_stmt* sqlite_database::statement_of(const std::string& text) {
    if (const auto known = statements_.find(text); known != statements_.end()) return known->second;
    sqlite3_stmt* prepared = nullptr;
    check(
        ::sqlite3_prepare_v3(db_, text.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &prepared, nullptr),
        text.c_str());
    statements_.emplace(text, prepared);
    return prepared;
}

result_rows sqlite_database::execute(const std::string& statement,
                                     std::span<const value> arguments) {
    sqlite3_stmt* const prepared = statement_of(statement);
    int place = 0;
    for (const value& argument : arguments) {
        ++place;
        if (const auto* number = std::get_if<std::int64_t>(&argument)) {
            ::sqlite3_bind_int64(prepared, place, *number);
        } else if (const auto* text = std::get_if<std::string>(&argument)) {
            ::sqlite3_bind_text64(prepared, place, text->data(), text->size(), SQLITE_STATIC,
                                  SQLITE_UTF8);
        } else {
            const std::string& data = std::get<bytes>(argument).data;
            ::sqlite3_bind_blob64(prepared, place, data.data(), data.size(), SQLITE_STATIC);
        }
    }
    result_rows out;
    int code = SQLITE_ROW;
    while ((code = ::sqlite3_step(prepared)) == SQLITE_ROW) {
        row& cells = out.rows.emplace_back();
        for (int i = 0; i < ::sqlite3_column_count(prepared); ++i) {
            const auto* const data = static_cast<const char*>(::sqlite3_column_blob(prepared, i));
            const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(prepared, i));
            cells.emplace_back(data == nullptr ? "" : data, data == nullptr ? 0 : size);
        }
    }
    const int extended = code == SQLITE_DONE ? code : ::sqlite3_extended_errcode(db_);
    ::sqlite3_reset(prepared);
    ::sqlite3_clear_bindings(prepared);
    check(extended, statement.c_str());
    out.affected = ::sqlite3_changes64(db_);
    return out;
}

const phrases& sqlite_database::words() const noexcept {
    // A statement for a list of paths joins the list (`listed`). With `IN` instead of the join, SQLite would create a
    // temporary table with a 20-page cache for each statement.
    static const phrases& k_words = base::never_destroyed(
        phrases{.now = "turnstile_now()",
                .wall = "turnstile_wall()",
                .listed = "(SELECT value FROM json_each(?1)) AS listed CROSS JOIN ",
                .among = "= listed.value",
                .among_numbers = "IN (SELECT value FROM json_each(?1))",
                .remove_node = "DELETE FROM turnstile_nodes WHERE path = ?1",
                .or_stays = " ON CONFLICT DO NOTHING",
                .list_begin = "[",
                .list_end = "]",
                .empty_list = "[]",
                .quoted = in_double_quotes});
    return k_words;
}

asked_statement sqlite_database::ask_number() {
    result_rows taken =
        run("UPDATE turnstile_meta SET value = value + 1 WHERE name = 'number' RETURNING value");
    taken_number_ = to_integer(taken.rows.front().front());
    return keep(std::move(taken));
}

// ---- bells: messages that wake a session ----------------------------------------------------

// Removes the files of sessions without a row, whose processes have died. A session that another process is opening
// cannot lose its file here: to open it, that process needs the write lock, which this transaction has.
void sqlite_database::announce(std::int64_t session) {
    std::set<std::int64_t> living;
    for (const row& r : run("SELECT id FROM turnstile_sessions").rows)
        living.insert(to_integer(r.front()));
    try {
        files_->remove_others(living);
        files_->make_own(session);
    } catch (const std::system_error& e) {
        throw database_error{failure::fatal, "cannot make a session's file", e.what()};
    }
}

void sqlite_database::listen(std::int64_t session) {
    try {
        bell_.open(settings_.path, *files_, session);
    } catch (const std::system_error& e) {
        throw database_error{failure::fatal, "cannot watch the session's files", e.what()};
    }
}

// If the session's row still exists, releases the lock of the session's file, but does not remove the file. Other
// processes then conclude that the session's process is gone, and end the session at once.
void sqlite_database::withdraw(ended how) noexcept {
    bell_.close();
    if (files_) files_->release_own(how == ended::yes);
}

bool sqlite_database::is_gone(std::int64_t session) const {
    return files_->is_gone(session);
}

database::woken sqlite_database::wait(int caller, boottime_clock::time_point until) {
    return bell_.wait(caller, until);
}

}  // namespace turnstile::sql
