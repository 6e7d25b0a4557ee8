// SPDX-License-Identifier: Apache-2.0
// sql::check: checks inside a database transaction of your program that a hold still exists, and keeps the hold until
// that transaction ends.
//
// Use it if the lock and the data that it protects are in the same database: PostgreSQL, MariaDB, or one SQLite file.
//
//     PGconn* db = PQconnectdb(database);                // the program's own connection, to the database of the locks
//     PQexec(db, "BEGIN");
//     PQexec(db, "UPDATE stock SET left_over = left_over - 1 WHERE id = 7");
//     if (turnstile::sql::check(*hold, db)) PQexec(db, "COMMIT");
//     else PQexec(db, "ROLLBACK");
//
// With a fencing token a database can refuse the write of an old holder. This check is stronger: no other client gets
// the lock between the check and the commit. The check locks the database row of the hold's contender for your
// transaction. Another client is granted the lock only after that row is removed: by a release, by the end of the
// session, or by an operator. All of these wait until the transaction has ended. So however long the program is paused,
// the commit never comes after another client's grant (docs/why/sql.md).
//
// Until the transaction ends, these operations wait:
// - PostgreSQL and MariaDB: each operation that would end this hold, and the end of the session of the hold's client,
//   because all znodes of a session end together. Other clients continue.
// - SQLite: all writes to the file, because only one transaction can write at a time. Keep the transaction far shorter
//   than the session timeout.
//
// Rules for MariaDB: the first read of the transaction must come after the grant. The transaction must not be an XA
// transaction, and not SERIALIZABLE. (If SET TRANSACTION made only this transaction SERIALIZABLE, the library cannot
// see that.) After `removed` roll the transaction back at once, because other clients may wait for it.
//
// In two cases the check loses its effect before the transaction ends:
// - ROLLBACK TO a savepoint that is older than the check unlocks the row. Call check() again afterwards.
// - If threads of this process share the lock (lock_options::retain_for, cohort), they hand the lock over without a
//   change of the row. So a thread must not release the lock before its transaction has ended.
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

// Checks the hold in the present transaction of `connection`. After a success the hold exists until that transaction
// ends. After an error roll the transaction back. Errors:
// - `removed`: the contender's row does not exist. The hold is over, or the connection is to another database.
// - `not_held`: the guard is empty.
// - `bad_option`: the connection is null, or is in no transaction, or is in a transaction of MariaDB that breaks the
//   rules at the top of this file; or the hold consists of several holds (check each one); or this build of the library
//   lacks this kind of database.
// - `not_connected`: the database refused the statement; the message quotes it.
[[nodiscard]] TURNSTILE_EXPORT result<void> check(const guard& hold, pg_conn* connection);
[[nodiscard]] TURNSTILE_EXPORT result<void> check(const guard& hold, sqlite3* connection);
[[nodiscard]] TURNSTILE_EXPORT result<void> check(const guard& hold, st_mysql* connection);

}  // namespace sql

}  // namespace turnstile
