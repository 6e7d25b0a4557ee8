// SPDX-License-Identifier: Apache-2.0
// What a guard's hold is to sql::check: a contender's row.
#include "turnstile/sql.hpp"

#include <cstdint>

#include "sql/row_check.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::sql {
namespace {

template <class Connection>
result<void> check_hold(const guard& hold, Connection* connection) {
    if (!hold) return error{errc::not_held, "sql::check"};
    if (connection == nullptr) return error{errc::bad_option, "sql::check: the connection is null"};
    contender_row wanted{hold.znode(), static_cast<std::int64_t>(hold.fencing_token().zxid())};
    if (wanted.znode.empty())
        return error{errc::bad_option,
                     hold.path() + ": a hold that is made of several is checked one by one"};
    return check_row(wanted, connection);
}

}  // namespace

#ifdef TURNSTILE_WITH_POSTGRESQL
result<void> check(const guard& hold, pg_conn* connection) {
    return check_hold(hold, connection);
}
#else
result<void> check(const guard& /*hold*/, pg_conn* /*connection*/) {
    return error{errc::bad_option,
                 "sql::check: this build has no PostgreSQL back end (TURNSTILE_WITH_POSTGRESQL)"};
}
#endif

#ifdef TURNSTILE_WITH_MARIADB
result<void> check(const guard& hold, st_mysql* connection) {
    return check_hold(hold, connection);
}
#else
result<void> check(const guard& /*hold*/, st_mysql* /*connection*/) {
    return error{errc::bad_option,
                 "sql::check: this build has no MariaDB back end (TURNSTILE_WITH_MARIADB)"};
}
#endif

#ifdef TURNSTILE_WITH_SQLITE
result<void> check(const guard& hold, sqlite3* connection) {
    return check_hold(hold, connection);
}
#else
result<void> check(const guard& /*hold*/, sqlite3* /*connection*/) {
    return error{errc::bad_option,
                 "sql::check: this build has no SQLite back end (TURNSTILE_WITH_SQLITE)"};
}
#endif

}  // namespace turnstile::sql
