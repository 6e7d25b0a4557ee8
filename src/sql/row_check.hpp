// SPDX-License-Identifier: Apache-2.0
// row_check: locks the row of a contender's znode in the user's own transaction (turnstile/sql.hpp).
//
// The caller does not name the chroot of the client. So the statements find the row by the number of the znode's
// creation, or by the end of its path, which contains a GUID.
//
// Thread safety: see the connection's client library.
#pragma once

#include <cstdint>
#include <string>

#include "turnstile/result.hpp"

struct pg_conn;
struct sqlite3;
struct st_mysql;

namespace turnstile::sql {

struct contender_row {
    std::string znode;         // the end of the znode's path
    std::int64_t created = 0;  // the znode's czxid, unless it was renamed
};

// The error for a connection to another database than the lock's. The database's own message would only name a missing
// table.
[[nodiscard]] inline error not_the_lock_s_database() {
    return {errc::removed,
            "this database has no table turnstile_nodes: the connection is not to the database of "
            "the lock"};
}

[[nodiscard]] result<void> check_row(const contender_row& wanted, pg_conn* connection);
[[nodiscard]] result<void> check_row(const contender_row& wanted, sqlite3* connection);
[[nodiscard]] result<void> check_row(const contender_row& wanted, st_mysql* connection);

}  // namespace turnstile::sql
