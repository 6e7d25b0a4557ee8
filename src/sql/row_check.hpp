// SPDX-License-Identifier: Apache-2.0
// row_check: locks a contender's row in a transaction of the user's own (turnstile/sql.hpp).
//
// A program does not say below which chroot its client is: the row is found by the number of its creation, else by
// the end of its path, which has a GUID in it.
//
// Thread safety: that of the connection.
#pragma once

#include <cstdint>
#include <string>

#include "turnstile/result.hpp"

struct pg_conn;
struct sqlite3;
struct st_mysql;

namespace turnstile::sql {

struct contender_row {
    std::string znode;         // the end of its path
    std::int64_t created = 0;  // its czxid, unless it was renamed
};

// A connection to another database than the lock's: its words for a missing table would say nothing of the cause.
[[nodiscard]] inline error not_the_lock_s_database() {
    return {errc::removed,
            "this database has no table turnstile_nodes: the connection is not to the database of "
            "the lock"};
}

[[nodiscard]] result<void> check_row(const contender_row& wanted, pg_conn* connection);
[[nodiscard]] result<void> check_row(const contender_row& wanted, sqlite3* connection);
[[nodiscard]] result<void> check_row(const contender_row& wanted, st_mysql* connection);

}  // namespace turnstile::sql
