// SPDX-License-Identifier: Apache-2.0
// sql::check: checks inside your own database transaction that a hold still exists, and keeps it until the transaction
// ends.
//
// Use it if the data that a lock protects are in the same database as the lock: PostgreSQL, MariaDB, or one SQLite
// file.
//
//     PGconn* db = PQconnectdb(database);                // the program's own connection, to the database of the locks
//     PQexec(db, "BEGIN");
//     PQexec(db, "UPDATE stock SET left_over = left_over - 1 WHERE id = 7");
//     if (turnstile::sql::check(*hold, db)) PQexec(db, "COMMIT");
//     else PQexec(db, "ROLLBACK");
//
// A fencing token lets a database refuse the write of an old holder. This check goes further: no other client gets the
// lock between the check and the commit. Your transaction locks the row of the hold's contender. The lock passes on
// only when that row is removed: by a release, by the end of the session, or by an operator. All of these wait until
// the transaction has ended. So no pause, however long, lets the commit follow another client's grant
// (docs/why/sql.md).
//
// Until the transaction ends, these operations wait:
// - PostgreSQL and MariaDB: each operation that would end this hold, and the end of the hold's client, whose znodes end
//   together. Other clients continue.
// - SQLite: all writes, because a transaction that writes has the file for itself. Keep the transaction far shorter
//   than the session timeout.
//
// Rules for MariaDB: the transaction must begin to read after the grant, and must be no XA transaction and not
// SERIALIZABLE (also not by SET TRANSACTION for it alone, which the library cannot see). After `removed` roll it back
// at once, since other clients may wait for it.
//
// Two things undo the check before the transaction ends:
// - ROLLBACK TO a savepoint from before the check releases the row. Check again after it.
// - A lock that threads of this process share (lock_options::retain_for, cohort) passes between them without a change
//   of the row. Your threads must wait for the end of the transaction before they release.
//
// Thread safety: the same as the guard's and the connection's. The call blocks for one statement of the database.
#pragma once

#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

struct pg_conn;  // libpq's PGconn
struct sqlite3;
struct st_mysql;  // libmariadb's MYSQL

namespace turnstile {

class guard;

namespace sql {

// Success: the hold exists until the transaction of the connection ends. After an error roll the transaction back.
// Errors:
// - `removed`: the contender's row does not exist. The hold is over, or the connection is to another database.
// - `not_held`: the guard is empty.
// - `bad_option`: the connection is null, or in no transaction, or in a transaction of MariaDB that breaks the rules
//   above; or the hold consists of several holds (check each); or this build of the library lacks this kind of
//   database.
// - `not_connected`: the database refused the statement; the message quotes it.
[[nodiscard]] TURNSTILE_EXPORT result<void> check(const guard& hold, pg_conn* connection);
[[nodiscard]] TURNSTILE_EXPORT result<void> check(const guard& hold, sqlite3* connection);
[[nodiscard]] TURNSTILE_EXPORT result<void> check(const guard& hold, st_mysql* connection);

}  // namespace sql

}  // namespace turnstile
