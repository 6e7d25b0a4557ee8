// SPDX-License-Identifier: Apache-2.0
// sql::check: does a hold still stand, asked inside the program's own database transaction, and answered until that
// has ended.
//
//     PGconn* db = PQconnectdb(database);                // the program's own connection, to the database of the locks
//     PQexec(db, "BEGIN");
//     PQexec(db, "UPDATE stock SET left_over = left_over - 1 WHERE id = 7");
//     if (turnstile::sql::check(*hold, db)) PQexec(db, "COMMIT");
//     else PQexec(db, "ROLLBACK");
//
// A fencing token lets a database refuse the write of a holder that was overtaken. This goes further: no holder is
// overtaken between the check and the commit. The row of the hold's contender is locked by the program's transaction, and
// only with the removal of that row can the lock pass on: by a release, by the end of the session, by an operator's hand.
// All of these wait until the transaction has ended. So there is no pause, however long, that puts the commit behind
// another client's grant (docs/why/sql.md).
//
// The tables of the locks and those of the program are in one database: PostgreSQL, MariaDB, or one SQLite file. In
// PostgreSQL and MariaDB others go on meanwhile; what waits is what would end this hold, and the end of its client, whose
// znodes go together. In SQLite a transaction that writes has the file for itself: keep it far shorter than the session
// time-out. In MariaDB the transaction begins to read behind the grant, is no XA transaction, and is not SERIALIZABLE (for
// itself alone neither, which cannot be seen: SET TRANSACTION); one that is told `removed` should be rolled back at once,
// since others may wait for it.
//
// Two things undo the check before the transaction ends. ROLLBACK TO a savepoint of before the check gives the row's lock
// back: check once more behind it. And a lock that the threads of this process share (lock_options::retain_for, cohort)
// passes from one to the next without a change of the row: there the program's own threads have to wait for the end of the
// transaction before they release.
//
// Thread safety: that of the guard and of the connection. Blocks for one statement of the database.
#pragma once

#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

struct pg_conn;  // libpq's PGconn
struct sqlite3;
struct st_mysql;  // libmariadb's MYSQL

namespace turnstile {

class guard;

namespace sql {

// Success: the hold stands until the connection's transaction ends. Errors, after which the transaction should be rolled
// back:
//   removed        the contender's row is not there: the hold is over, or the connection is to another database
//   not_held       the guard is empty
//   bad_option     the connection is null, in no transaction, or in one of MariaDB's that is refused (above); the hold
//                  consists of several (check each); or this build of the library lacks the kind of database
//   not_connected  the database refused the statement, with its words
[[nodiscard]] TURNSTILE_EXPORT result<void> check(const guard& hold, pg_conn* connection);
[[nodiscard]] TURNSTILE_EXPORT result<void> check(const guard& hold, sqlite3* connection);
[[nodiscard]] TURNSTILE_EXPORT result<void> check(const guard& hold, st_mysql* connection);

}  // namespace sql

}  // namespace turnstile
