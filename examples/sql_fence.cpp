// SPDX-License-Identifier: Apache-2.0
// sql_fence: a shop that cannot sell the same ticket twice, however long a seller is paused.
//
// The tickets and the locks are in one SQLite file. A seller reads the number of tickets under a lock, is paused, and
// sells. By then the number may be outdated: the seller's session has expired, and another seller had the lock. The
// lock alone cannot prevent the second sale, as the first part of the program shows. turnstile::sql::check(), inside
// the seller's own transaction, detects that the hold has ended. If the check succeeds, no other client is granted the
// lock before the transaction has ended (docs/why/sql.md). PostgreSQL and MariaDB work in the same way, with a PGconn
// or a MYSQL.
//
//     sql_fence [database]      (default: a file that is removed)
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "paused_process.hpp"
#include "turnstile/sql.hpp"
#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

enum class sale { unchecked, checked };

// A seller's connection to the shop's tables.
class shop {
public:
    explicit shop(const std::string& file) {
        sqlite3* opened = nullptr;
        const auto failure = sqlite3_open(file.c_str(), &opened);
        connection_.reset(opened);
        if (failure != SQLITE_OK) throw std::runtime_error{sqlite3_errmsg(opened)};
        sqlite3_busy_timeout(opened, 30'000);
    }

    void run(const std::string& statement) {
        if (sqlite3_exec(connection_.get(), statement.c_str(), nullptr, nullptr, nullptr) !=
            SQLITE_OK)
            throw std::runtime_error{sqlite3_errmsg(connection_.get())};
    }
    int tickets() {
        int left = 0;
        sqlite3_exec(
            connection_.get(), "SELECT left_over FROM tickets",
            [](void* to, int, char** cells, char**) {
                *static_cast<int*>(to) = std::stoi(cells[0]);
                return 0;
            },
            &left, nullptr);
        return left;
    }
    // Sells one of `read` tickets. If `how` is `checked`, sells only if the hold still exists.
    bool sell(const turnstile::guard& hold, int read, sale how) {
        run("BEGIN IMMEDIATE");
        run("UPDATE tickets SET left_over = " + std::to_string(read - 1));
        const bool stands =
            how == sale::unchecked || turnstile::sql::check(hold, connection_.get());
        run(stands ? "COMMIT" : "ROLLBACK");
        return stands;
    }

private:
    struct close {
        void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
    };
    std::unique_ptr<sqlite3, close> connection_;
};

// A seller, whose constructor waits for the lock.
class seller {
public:
    explicit seller(const std::string& file)
        : locks_{"sqlite:" + file, {.session_timeout = k_session}},
          lock_{locks_, "/locks/tickets"},
          shop_{file},
          hold_{lock_.acquire({.timeout = 30s}).value()},
          seen_{shop_.tickets()} {}

    [[nodiscard]] int seen() const { return seen_; }
    bool sell(sale how) { return shop_.sell(hold_, seen_, how); }

private:
    static constexpr std::chrono::seconds k_session{4};

    turnstile::client locks_;
    turnstile::mutex lock_;
    shop shop_;
    turnstile::guard hold_;
    int seen_;
};

// Reads the number of tickets under the lock, pauses, and then sells a ticket. Runs in a separate process. The pause is
// longer than the session lasts, so another seller gets the lock meanwhile.
bool sell_slowly(const std::string& file, sale how) {
    // hides the library's log line about the loss of the session
    turnstile::set_log_level(turnstile::log_level::error);
    seller slow{file};
    std::cout << "the slow seller sees " << slow.seen() << " ticket and stands still\n";
    paused_process::stand_still();
    return slow.sell(how);
}

void sell_the_last_ticket(const std::string& file, sale how) {
    shop{file}.run("DELETE FROM tickets; INSERT INTO tickets VALUES (1)");
    paused_process slow{{"slow", file, how == sale::checked ? "checked" : "unchecked"}};
    const bool quick_sells = seller{file}.sell(how);
    std::cout << "the quick seller sells: " << std::boolalpha << quick_sells << '\n';
    const bool slow_sells = slow.resume();
    std::cout << "the slow seller goes on and sells: " << slow_sells << '\n';
    std::cout << "sold of 1 ticket: " << quick_sells + slow_sells << '\n';
}

void sell_twice(const std::string& file) {
    shop{file}.run("CREATE TABLE tickets (left_over INTEGER)");
    std::cout << "under the lock alone\n";
    sell_the_last_ticket(file, sale::unchecked);
    std::cout << "with the lock's check inside the sale\n";
    sell_the_last_ticket(file, sale::checked);
}

}  // namespace

int main(int argc, char** argv) {
    ::umask(0077);  // a user with read access to the file could block the locks in it
    try {
        if (argc == 4)  // this process was started by paused_process
            return sell_slowly(argv[2],
                               argv[3] == std::string{"checked"} ? sale::checked : sale::unchecked)
                       ? 0
                       : 1;
        const auto folder =
            std::filesystem::temp_directory_path() / ("sql_fence-" + std::to_string(getpid()));
        std::filesystem::create_directory(folder);
        sell_twice(argc > 1 ? argv[1] : (folder / "shop.db").string());
        std::filesystem::remove_all(folder);
    } catch (const std::exception& failure) {
        std::cerr << failure.what() << '\n';
        return 1;
    }
    return 0;
}
