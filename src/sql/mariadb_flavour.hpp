// SPDX-License-Identifier: Apache-2.0
// mariadb_flavour: what MariaDB and MySQL say differently, as data. One client library speaks to both.
//
// | difference                   | MariaDB                          | MySQL                                              |
// |------------------------------|----------------------------------|----------------------------------------------------|
// | a number that grows          | a sequence                       | AUTO_INCREMENT of a row, deleted at once           |
// | no wait for a kept node      | SET STATEMENT, no time           | a limit of the connection, 1 s at least            |
// | sleep unless there is an event | a block, no snapshot during it | one SELECT, its snapshot stays during the sleep    |
// | a pause inside a transaction | ended by idle_transaction_timeout | ended by wait_timeout, between transactions, too  |
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

    // Statements, separated by semicolons: the settings of a connection that no wait may keep for longer than the
    // patience, and the start of a transaction that writes.
    std::string (*settings)(std::chrono::milliseconds patience);
    std::string (*start_to_write)(std::chrono::milliseconds patience);

    // The statement that takes a number, and whether the answer is the identity of the inserted row. `end_taking` follows
    // in the same transaction, unless it is empty.
    const char* take_number;
    bool number_is_inserted;
    const char* end_taking;
    // All numbers from now on are larger than this.
    std::string (*raise_numbers)(const std::string& number);

    // Waits for the user-level lock `door` unless there is an event that meets the condition.
    std::string (*sleep)(const std::string& condition, const std::string& door,
                         std::int64_t seconds);
};

// The servers' limits are whole seconds.
[[nodiscard]] std::int64_t whole_seconds(std::chrono::milliseconds time) noexcept;

[[nodiscard]] const mariadb_flavour& flavour_of_mariadb() noexcept;
[[nodiscard]] const mariadb_flavour& flavour_of_mysql() noexcept;

}  // namespace turnstile::sql
