// SPDX-License-Identifier: Apache-2.0
// Implements sql::check: checks in the program's transaction that the row of the hold's contender exists.
#include "turnstile/sql.hpp"

#include <cstdint>

#include "client/hold.hpp"
#include "modules/find.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::sql {
namespace {

result<void> check_hold(const guard& hold, modules::module_kind which, void* connection) {
    if (const auto held = detail::usable_hold(hold, "sql::check"); !held) return held.error();
    if (connection == nullptr) return error{errc::bad_option, "sql::check: the connection is null"};
    const std::string znode = hold.znode();
    if (znode.empty())
        return error{errc::bad_option,
                     hold.path() +
                         ": this hold consists of several holds; call sql::check for each of them"};
    const auto module = modules::find(which, "sql::check");
    if (!module) return error{errc::bad_option, module.error().detail()};
    return (*module)->check_row(znode, static_cast<std::int64_t>(hold.fencing_token().zxid()),
                                connection);
}

}  // namespace

result<void> check(const guard& hold, pg_conn* connection) {
    return check_hold(hold, modules::module_kind::postgresql, connection);
}

result<void> check(const guard& hold, st_mysql* connection) {
    return check_hold(hold, modules::module_kind::mariadb, connection);
}

result<void> check(const guard& hold, sqlite3* connection) {
    return check_hold(hold, modules::module_kind::sqlite, connection);
}

}  // namespace turnstile::sql
