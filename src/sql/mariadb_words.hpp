// SPDX-License-Identifier: Apache-2.0
// mariadb_words: decides from the answers of MariaDB and MySQL whether a server is suitable, and what kind of failure
// an error is. Also inserts values into the text of SQL statements.
//
// | error of the server                            | kind     | reaction of the client                               |
// |------------------------------------------------|----------|------------------------------------------------------|
// | 1020, 1062, 1213, 1242 conflict; 1317 killed   | retry    | repeats the transaction, which was rolled back       |
// | 1205 timeout of a lock; 3572 locked row        | row_held | repeats the transaction later; keeps the session     |
// | 1045, 1698 no such user or password            | refused  | reports `auth_failed`                                |
// | 1040, 1053, 1158-1161, 1180, 1203, 1226, 1927, | lost     | connects again                                       |
// | 3169, 4031, and libmariadb's own errors        |          |                                                      |
// | all others                                     | fatal    | logs the error; connects again and again, until an   |
// |                                                |          | operator has helped                                  |
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sql/database.hpp"

namespace turnstile::sql {

// ---- values in statements ----
// Text values become hexadecimal literals, so no value can end a literal, whatever the server's modes are. The client
// does not prepare statements. So several statements can share one round trip, and none of them counts towards
// max_prepared_stmt_count, a limit for all connections of a server together.
[[nodiscard]] std::string mariadb_literal(std::string_view text);
// Replaces `?1` by the first value as a literal, and `?*1` by the first value's text without change. list_of() makes
// the texts for `?*1`.
[[nodiscard]] std::string mariadb_statement(std::string_view statement,
                                            std::span<const value> arguments);

struct mariadb_error {
    unsigned number = 0;
    std::string text;
};

[[nodiscard]] failure kind_of(const mariadb_error& e) noexcept;
// Returns the server's message. Adds the remedy for known errors.
[[nodiscard]] std::string sentence(const mariadb_error& e);

struct mariadb_facts {
    std::string version;              // in the server's form
    std::int64_t version_number = 0;  // 101119 for 10.11.19
    bool mariadb = false;
    bool read_only = false;
    bool galera = false;
    bool several_primaries = false;  // the group of MySQL servers has them
    bool statement_binlog = false;
    bool keeps_commits = false;  // the server syncs commits before it acknowledges them
    std::int64_t longest_statement = 0;
    std::int64_t page_size = 0;
};

// The server's settings for syncing to its disk, each with the name of the server's variable.
struct mariadb_syncing {
    std::string flush_log_at_commit;  // innodb_flush_log_at_trx_commit
    std::string flush_method;         // innodb_flush_method; empty: no such variable
    bool logs = false;                // log_bin
    std::string sync_log;             // sync_binlog
};
// Returns whether all acknowledged commits survive a crash of the machine.
[[nodiscard]] bool keeps_commits(const mariadb_syncing& said) noexcept;

// True for MariaDB and MySQL; false for other products with the same protocol.
[[nodiscard]] bool speaks_sql_of_these(const mariadb_facts& facts);
// Returns the reason why this server is unsuitable; empty if it is suitable.
[[nodiscard]] std::string unfit(const mariadb_facts& facts);
// Returns the kind of failure to report for a server that unfit() refuses.
[[nodiscard]] failure kind_of_unfit(const mariadb_facts& facts) noexcept;

}  // namespace turnstile::sql
