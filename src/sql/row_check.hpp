// SPDX-License-Identifier: Apache-2.0
// row_check: locks the row of a client's znode in the user's own transaction, so that no other transaction removes the
// znode before the user's commit (turnstile/sql.hpp). By this znode, the client holds a lock or waits for it.
//
// The caller does not know the client's chroot. So the statements find the row by the znode's creation number, or by
// the end of its path, which contains a GUID.
//
// The source of each module has a function that implements modules::entry::check_row, such as check_sqlite_row in
// sqlite_module.cpp. `znode`: the end of the znode's path. `created`: the znode's czxid; if the client has renamed the
// znode since (a change of the lock's kind), the old czxid. The function's last argument is the user's connection: a
// pg_conn*, an sqlite3* or an st_mysql*.
//
// Thread safety: see the connection's client library.
#pragma once

#include "turnstile/result.hpp"

namespace turnstile::sql {

// Returns the error for a connection to a database other than the lock's. The server's message would only name a
// missing table.
[[nodiscard]] inline error not_the_lock_s_database() {
    return {errc::removed,
            "this database has no table turnstile_nodes: the connection is not to the database of "
            "the lock"};
}

}  // namespace turnstile::sql
