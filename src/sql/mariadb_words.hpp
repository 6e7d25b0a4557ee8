// SPDX-License-Identifier: Apache-2.0
// mariadb_words: what the answers of MariaDB and MySQL mean: which servers are fit, and what its errors ask for.
//
// | the server says                                | kind     | what follows                                         |
// |------------------------------------------------|----------|------------------------------------------------------|
// | 1020, 1062, 1213, 1242, 1317 conflict, killed  | retry    | rolled back, repeated                                |
// | 1205 timeout of a lock                         | row_held | rolled back, repeated later; the session is kept up  |
// | 1045, 1698 no such user or password            | refused  | `auth_failed`                                        |
// | 1040, 1053, 1158-1161, 1180, 1203, 1226, 1927, | lost     | connects again                                       |
// | 3169, 4031, and libmariadb's own               |          |                                                      |
// | all others                                     | fatal    | told, connects again until an operator has helped    |
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "sql/database.hpp"

namespace turnstile::sql {

struct mariadb_error {
    unsigned number = 0;
    std::string text;
};

[[nodiscard]] failure kind_of(const mariadb_error& e) noexcept;
// The server's message, and the remedy.
[[nodiscard]] std::string sentence(const mariadb_error& e);

struct mariadb_facts {
    std::string version;              // in the server's form
    std::int64_t version_number = 0;  // 101119 for 10.11.19
    bool mariadb = false;
    bool read_only = false;
    bool galera = false;
    bool several_primaries = false;  // in a group of MySQL servers
    bool statement_binlog = false;
    bool keeps_commits = false;  // acknowledged commits are on its disk
    std::int64_t longest_statement = 0;
    std::int64_t page_size = 0;
};

// The server's settings for writing to its disk, by its variables.
struct mariadb_syncing {
    std::string flush_log_at_commit;  // innodb_flush_log_at_trx_commit
    std::string flush_method;         // innodb_flush_method; empty: there is none
    bool logs = false;                // log_bin
    std::string sync_log;             // sync_binlog
};
// Returns whether all acknowledged commits survive a crash of the machine.
[[nodiscard]] bool keeps_commits(const mariadb_syncing& said) noexcept;

// True for MariaDB and MySQL; false for other servers that speak their protocol.
[[nodiscard]] bool speaks_sql_of_these(const mariadb_facts& facts);
// Why no lock may rest on such a server; empty: it may.
[[nodiscard]] std::string unfit(const mariadb_facts& facts);
// The kind of failure with which that is reported.
[[nodiscard]] failure kind_of_unfit(const mariadb_facts& facts) noexcept;

}  // namespace turnstile::sql
