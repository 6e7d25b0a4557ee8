// SPDX-License-Identifier: Apache-2.0
// fenced_sqlite: a table that refuses the writes of a holder after another client has got the lock.
//
// The row contains the fencing token of its last writer, packed: 12 bytes that SQLite compares as memcmp does, in the
// order of the tokens. One statement both checks the token and writes. So no other write can come between the check and
// the write, on this connection or another one (docs/how-to/fencing.md).
//
//     fenced_sqlite [connect string [database]]      (default: "local:", and a file that is removed)
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sqlite3.h>
#include <unistd.h>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

// A connection to the database.
class stock {
public:
    explicit stock(const std::string& file) {
        sqlite3* opened = nullptr;
        const auto failure = sqlite3_open(file.c_str(), &opened);
        database_.reset(opened);
        check(failure);
        // other connections also write, so this connection may have to wait
        check(sqlite3_busy_timeout(opened, 30'000));
    }

    // Creates the table. The first token of each row is x'', which is smaller than the token of every grant.
    void create() {
        check(sqlite3_exec(database_.get(),
                           "CREATE TABLE stock (item TEXT PRIMARY KEY, pieces INTEGER NOT NULL,"
                           " token BLOB NOT NULL) WITHOUT ROWID;"
                           "INSERT INTO stock VALUES ('apples', 0, x''), ('pears', 0, x'')",
                           nullptr, nullptr, nullptr));
    }

    // Sets the number of pieces. Returns false if a holder with a larger token has written before. The comparison is
    // `<=`, because a holder may write more than once.
    bool write(std::string_view item, int pieces, turnstile::fencing_token token) {
        const auto packed = token.pack();
        const auto update =
            prepare("UPDATE stock SET pieces = ?1, token = ?2 WHERE item = ?3 AND token <= ?2");
        check(sqlite3_bind_int(update.get(), 1, pieces));
        check(sqlite3_bind_blob(update.get(), 2, packed.data(), int{packed.size()},
                                SQLITE_TRANSIENT));
        check(sqlite3_bind_text(update.get(), 3, item.data(), static_cast<int>(item.size()),
                                SQLITE_TRANSIENT));
        check(sqlite3_step(update.get()));
        return sqlite3_changes(database_.get()) == 1;
    }

    int pieces(std::string_view item) {
        const auto select = prepare("SELECT pieces FROM stock WHERE item = ?1");
        check(sqlite3_bind_text(select.get(), 1, item.data(), static_cast<int>(item.size()),
                                SQLITE_TRANSIENT));
        check(sqlite3_step(select.get()));
        return sqlite3_column_int(select.get(), 0);
    }

private:
    struct close {
        void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };

    std::unique_ptr<sqlite3_stmt, close> prepare(const char* sql) {
        sqlite3_stmt* statement = nullptr;
        check(sqlite3_prepare_v2(database_.get(), sql, -1, &statement, nullptr));
        return std::unique_ptr<sqlite3_stmt, close>{statement};
    }
    void check(int code) {
        if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
            throw std::runtime_error{sqlite3_errmsg(database_.get())};
    }

    std::unique_ptr<sqlite3, close> database_;
};

void say(std::string_view writer, bool accepted) {
    std::cout << writer << (accepted ? ": accepted" : ": refused") << '\n';
}

// While the first holder is paused, another client gets the lock. Then the first holder resumes in the middle of its
// work.
void overtaken(const std::string& where, const std::string& file) {
    turnstile::client slow{where};
    turnstile::client quick{where};
    turnstile::mutex slow_lock{slow, "/locks/stock"};
    turnstile::mutex quick_lock{quick, "/locks/stock"};
    stock slow_connection{file};
    stock quick_connection{file};

    const auto first = slow_lock.acquire({.timeout = 30s}).value();
    const auto stale = first.fencing_token();
    say("the first holder's write", slow_connection.write("apples", 10, stale));
    say("its second write", slow_connection.write("apples", 11, stale));

    slow.close();  // represents a pause that is longer than the holder's lease

    const auto second = quick_lock.acquire({.timeout = 30s}).value();
    say("the next holder's write", quick_connection.write("apples", 20, second.fencing_token()));
    say("the first holder's late write", slow_connection.write("apples", 12, stale));
    std::cout << "apples: " << quick_connection.pieces("apples") << '\n';
}

// Several connections write at the same time without any lock, with tokens in random order. The write with the largest
// token must remain.
void race(const std::string& file) {
    constexpr int k_writers = 4;
    constexpr int k_writes = 50;
    {
        std::vector<std::jthread> writers;
        for (int writer = 0; writer != k_writers; ++writer) {
            writers.emplace_back([&file, writer] {
                stock connection{file};
                for (int i = 0; i != k_writes; ++i) {
                    // The tokens have zxids around 2^32 and counters from 0 to 2. A column of 32-bit numbers or of
                    // decimal texts would sort them wrongly.
                    const int order = i * k_writers + writer;
                    const auto zxid =
                        std::uint64_t{0xffff'ff00} + static_cast<unsigned>(order) * 7U;
                    const turnstile::fencing_token token{zxid, static_cast<unsigned>(order) % 3U};
                    connection.write("pears", order, token);
                }
            });
        }
    }
    std::cout << "after the race, the largest token's write stands: " << std::boolalpha
              << (stock{file}.pieces("pears") == k_writers * k_writes - 1) << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    const std::string where = argc > 1 ? argv[1] : "local:";
    const bool own = argc <= 2;
    const std::string file = own ? std::filesystem::temp_directory_path() /
                                       ("turnstile-fenced-" + std::to_string(::getpid()) + ".db")
                                 : std::filesystem::path{argv[2]};
    stock{file}.create();
    overtaken(where, file);
    race(file);
    if (own) std::filesystem::remove(file);
}
