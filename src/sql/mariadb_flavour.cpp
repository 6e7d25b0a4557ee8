// SPDX-License-Identifier: Apache-2.0
#include "sql/mariadb_flavour.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/never_destroyed.hpp"
#include "sql/mariadb_words.hpp"
#include "sql/schema.hpp"

namespace turnstile::sql {
namespace {

// InnoDB allows keys of 3,072 bytes with pages of 16 KiB. The limit here is the smaller limit of PostgreSQL
// (postgresql_database.cpp).
constexpr std::size_t k_longest_path = 2000;

// SYSDATE(), not NOW(): NOW() is the time at which the statement began. A statement that has waited for a row must use
// the time after the wait.
phrases common_words() {
    return {.now = "CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)",
            .wall = "CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000 AS SIGNED)",
            .among = "IN (?*1)",
            .among_numbers = "IN (?*1)",
            .keep_session = " LOCK IN SHARE MODE",
            .claim_session = " FOR UPDATE SKIP LOCKED",
            .claim_own = " FOR UPDATE",
            .remove_node = "DELETE FROM turnstile_nodes WHERE path = ?1",
            .was_removed = "SELECT IF(ROW_COUNT() = 1, 1, (SELECT 1 UNION SELECT 2))",
            .or_stays = " ON DUPLICATE KEY UPDATE kind = kind",
            .empty_list = "NULL",
            .quoted = mariadb_literal,
            .longest_path = k_longest_path};
}

phrases words_of_mariadb() {
    constexpr const char* k_without_waiting = "SET STATEMENT innodb_lock_wait_timeout = 0 FOR ";
    phrases words = common_words();
    words.inserting = k_without_waiting;
    words.remove_node.insert(0, k_without_waiting);
    return words;
}

// MySQL's shortest lock timeout is one second, and its DELETE has no NOWAIT. So a SELECT first locks both the row and
// its entry in the index turnstile_nodes_created. sql::check() locks only this entry.
phrases words_of_mysql() {
    phrases words = common_words();
    words.inserting = "SET SESSION innodb_lock_wait_timeout = 1;";
    words.remove_node.insert(
        0,
        "SELECT path FROM turnstile_nodes FORCE INDEX (turnstile_nodes_created) WHERE path = ?1 "
        "AND czxid = (SELECT czxid FROM turnstile_nodes WHERE path = ?1) FOR UPDATE NOWAIT;");
    return words;
}

// Sets the connection's modes explicitly, so that no default of the server or the user changes the meaning of
// statements. (sql_select_limit = DEFAULT would be the server's global value.) If the process is stopped inside a
// transaction, the server ends the transaction after `patience` seconds. The lock timeout is longer than `patience`, so
// the client gives up before the server reports error 1205.
std::string settings_with(std::int64_t patience, const char* limit_of_statements,
                          const std::string& limit_of_pauses) {
    return fmt::format(
        "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE;"
        "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', autocommit = 1, "
        "time_zone = '+00:00', completion_type = 'NO_CHAIN', sql_safe_updates = 0, "
        "{}, {} = 0, {}, innodb_lock_wait_timeout = {}, lock_wait_timeout = {}",
        k_all_rows, limit_of_statements, limit_of_pauses, patience + 1, patience + 1);
}

// ---- MariaDB ------------------------------------------------------------------------------------

std::string settings_of_mariadb(std::chrono::milliseconds patience) {
    const auto seconds = whole_seconds(patience);
    return settings_with(
        seconds, "max_statement_time",
        fmt::format("idle_transaction_timeout = {}, wait_timeout = {}", seconds, 2 * seconds + 10));
}

std::string start_to_write_mariadb(std::chrono::milliseconds /*patience*/) {
    return "START TRANSACTION";
}

std::string raise_mariadb(const std::string& number) {
    return "SELECT SETVAL(turnstile_number, " + number + ")";
}

std::string sleep_in_mariadb(const std::string& condition, const std::string& door,
                             std::int64_t seconds) {
    return fmt::format(
        "BEGIN NOT ATOMIC IF NOT EXISTS (SELECT 1 FROM turnstile_events WHERE {}) "
        "THEN SELECT GET_LOCK({}, {}); END IF; END",
        condition, door, seconds);
}

// ---- MySQL --------------------------------------------------------------------------------------

// MySQL has only one limit for pauses inside a transaction and between transactions, `wait_timeout`. The limit does not
// end an idle session, because the session sends a statement more often than every `patience` seconds.
std::string settings_of_mysql(std::chrono::milliseconds patience) {
    const auto seconds = whole_seconds(patience);
    return settings_with(seconds, "max_execution_time", fmt::format("wait_timeout = {}", seconds));
}

// Restores the lock timeout: to insert a znode, the previous transaction may have set it to one second.
std::string start_to_write_mysql(std::chrono::milliseconds patience) {
    return fmt::format("SET SESSION innodb_lock_wait_timeout = {};START TRANSACTION",
                       whole_seconds(patience) + 1);
}

// Inserting the number raises the AUTO_INCREMENT counter, which survives a crash since MySQL 8.0. Inserting a smaller
// number does not change the counter.
std::string raise_mysql(const std::string& number) {
    return fmt::format(
        "START TRANSACTION;INSERT IGNORE INTO turnstile_number VALUES ({0});"
        "DELETE FROM turnstile_number WHERE id = {0};COMMIT",
        number);
}

std::string sleep_in_mysql(const std::string& condition, const std::string& door,
                           std::int64_t seconds) {
    return fmt::format(
        "SELECT IF(EXISTS(SELECT 1 FROM turnstile_events WHERE {}), NULL, GET_LOCK({}, {}))",
        condition, door, seconds);
}

}  // namespace

std::int64_t whole_seconds(std::chrono::milliseconds time) noexcept {
    return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(time).count());
}

const mariadb_flavour& flavour_of_mariadb() noexcept {
    static const mariadb_flavour& k_flavour = base::never_destroyed(
        mariadb_flavour{.words = words_of_mariadb(),
                        .tables = k_mariadb_tables,
                        .settings = settings_of_mariadb,
                        .start_to_write = start_to_write_mariadb,
                        .take_number = "SELECT NEXT VALUE FOR turnstile_number",
                        .number_is_inserted = false,
                        .end_taking = "",
                        .raise_numbers = raise_mariadb,
                        .sleep = sleep_in_mariadb});
    return k_flavour;
}

const mariadb_flavour& flavour_of_mysql() noexcept {
    static const mariadb_flavour& k_flavour = base::never_destroyed(
        mariadb_flavour{.words = words_of_mysql(),
                        .tables = k_mysql_tables,
                        .settings = settings_of_mysql,
                        .start_to_write = start_to_write_mysql,
                        .take_number = "INSERT INTO turnstile_number VALUES (NULL)",
                        .number_is_inserted = true,
                        .end_taking = "DELETE FROM turnstile_number WHERE id = LAST_INSERT_ID()",
                        .raise_numbers = raise_mysql,
                        .sleep = sleep_in_mysql});
    return k_flavour;
}

}  // namespace turnstile::sql
