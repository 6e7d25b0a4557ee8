// SPDX-License-Identifier: Apache-2.0
// mariadb_flavour: the differences between MariaDB and MySQL, as data. One client library connects to both.
//
// | task                                     | MariaDB                           | MySQL                             |
// |------------------------------------------|-----------------------------------|-----------------------------------|
// | take increasing numbers                  | a sequence                        | AUTO_INCREMENT: insert and delete |
// |                                          |                                   | a row                             |
// | fail at once if a user's transaction has | lock timeout of 0 s for one       | SELECT ... FOR UPDATE NOWAIT      |
// | locked the row of a znode to be removed  | statement (SET STATEMENT)         | before the DELETE                 |
// | fail soon if a user's transaction has    | lock timeout of 0 s for one       | lock timeout of the connection,   |
// | locked the gap for a new znode's row     | statement (SET STATEMENT)         | at least 1 s                      |
// | sleep, unless there is an event          | BEGIN NOT ATOMIC ... END, without | one SELECT, whose snapshot exists |
// |                                          | a snapshot during the sleep       | during the sleep                  |
// | limit a pause inside a transaction       | idle_transaction_timeout          | wait_timeout, which also limits   |
// |                                          |                                   | pauses between transactions       |
//
// Thread safety: from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "sql/database.hpp"

namespace turnstile::sql {

struct mariadb_flavour {
    phrases words;
    const char* tables;

    // settings() and start_to_write() return SQL statements, separated by semicolons. `settings` configures a new
    // connection: no wait and no pause inside a transaction may hold locks for longer than `patience`. `start_to_write`
    // starts a write transaction.
    std::string (*settings)(std::chrono::milliseconds patience);
    std::string (*start_to_write)(std::chrono::milliseconds patience);

    // The statement that takes a transaction number. If `number_is_inserted`, the number is the inserted identity
    // (AUTO_INCREMENT). If `end_taking` is not empty, the transaction executes `end_taking` after `take_number`.
    const char* take_number;
    bool number_is_inserted;
    const char* end_taking;
    // Returns the statements that make all later numbers larger than `number`.
    std::string (*raise_numbers)(const std::string& number);

    // Returns the statement that waits for the user-level lock `door`, unless an event meets `condition`.
    std::string (*sleep)(const std::string& condition, const std::string& door,
                         std::int64_t seconds);
};

// The part of a SET statement that lets a SELECT or SHOW return all rows, whatever the server's default is.
inline constexpr const char* k_all_rows = "sql_select_limit = 18446744073709551615";

// Rounds up to whole seconds, the unit of the servers' limits. Returns at least 1.
[[nodiscard]] std::int64_t whole_seconds(std::chrono::milliseconds time) noexcept;

[[nodiscard]] const mariadb_flavour& flavour_of_mariadb() noexcept;
[[nodiscard]] const mariadb_flavour& flavour_of_mysql() noexcept;

}  // namespace turnstile::sql
