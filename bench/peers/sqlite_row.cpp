// SPDX-License-Identifier: Apache-2.0
// Peer "sqlite-row": inserts a row and deletes it, in two commits, with SQLite alone. A lock in a table cannot do less
// work. The file has Turnstile's settings: a write-ahead log, and each commit is synced.
//
//     sqlite_row FILE
#include <sqlite3.h>

#include "protocol.hpp"

namespace {

class row_file {
public:
    explicit row_file(const char* path) {
        check(sqlite3_open(path, &db_));
        run("PRAGMA journal_mode = WAL");
        run("PRAGMA synchronous = FULL");
        run("CREATE TABLE IF NOT EXISTS bench_rows (path TEXT PRIMARY KEY, data BLOB, at INTEGER)");
        check(sqlite3_prepare_v2(
            db_, "INSERT INTO bench_rows VALUES (?1, 'a holder and its metadata', 1)", -1, &insert_,
            nullptr));
        check(sqlite3_prepare_v2(db_, "DELETE FROM bench_rows WHERE path = ?1", -1, &delete_,
                                 nullptr));
    }
    ~row_file() {
        sqlite3_finalize(insert_);
        sqlite3_finalize(delete_);
        sqlite3_close(db_);
    }
    row_file(const row_file&) = delete;
    row_file& operator=(const row_file&) = delete;

    void cycle(const std::string& path) {
        step(insert_, path);
        step(delete_, path);
    }

private:
    void check(int code) const {
        if (code != SQLITE_OK) throw std::runtime_error{sqlite3_errmsg(db_)};
    }
    void run(const char* text) { check(sqlite3_exec(db_, text, nullptr, nullptr, nullptr)); }
    void step(sqlite3_stmt* statement, const std::string& path) {
        check(sqlite3_bind_text(statement, 1, path.data(), static_cast<int>(path.size()),
                                SQLITE_STATIC));
        const int code = sqlite3_step(statement);
        check(sqlite3_reset(statement));
        if (code != SQLITE_DONE) throw std::runtime_error{"a statement did not end"};
    }

    sqlite3* db_ = nullptr;
    sqlite3_stmt* insert_ = nullptr;
    sqlite3_stmt* delete_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: sqlite_row FILE\n";
        return 2;
    }
    row_file rows{argv[1]};
    bench::serve(sqlite3_libversion(), {{"cycle", [&](const bench::arguments& given) {
                                             return bench::timed(bench::number(given.at(1)),
                                                                 [&] { rows.cycle(given.at(0)); });
                                         }}});
}
