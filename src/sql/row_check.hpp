// SPDX-License-Identifier: Apache-2.0
// row_check: locks a contender's row in the user's own transaction (turnstile/sql.hpp).
//
// A program does not name its client's chroot: the row is found by the number of its creation, or by the end of its
// path, which contains a GUID.
//
// Thread safety: the connection's.
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

// The connection is to another database than the lock's; a message about a missing table would not show that.
[[nodiscard]] inline error not_the_lock_s_database() {
    return {errc::removed,
            "this database has no table turnstile_nodes: the connection is not to the database of "
            "the lock"};
}

[[nodiscard]] result<void> check_row(const contender_row& wanted, pg_conn* connection);
[[nodiscard]] result<void> check_row(const contender_row& wanted, sqlite3* connection);
[[nodiscard]] result<void> check_row(const contender_row& wanted, st_mysql* connection);

}  // namespace turnstile::sql
