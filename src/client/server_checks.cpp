// SPDX-License-Identifier: Apache-2.0
// Checks of a hold at the servers, together with the program's own writes there. redis::check finds the contender's
// record in Redis, so that a program's Lua script can check the hold. sql::check checks in the program's transaction
// that the row of the hold's contender exists.
#include <cstdint>

#include "client/hold.hpp"
#include "modules/find.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/redis.hpp"
#include "turnstile/sql.hpp"

namespace turnstile::redis {

// A guard of a Redis lock exists only if its client has loaded the Redis module, so modules::loaded() suffices.
result<script_check> check(const guard& hold) {
    const auto held = detail::usable_hold(hold, "redis::check");
    if (!held) return held.error();
    const auto* const single = dynamic_cast<const detail::znode_hold*>(held->get());
    if (single == nullptr)
        return error{
            errc::bad_option,
            hold.path() +
                ": this hold consists of several holds; call redis::check for each of them"};
    const auto contender = single->standing();
    if (const auto* const module = modules::loaded(modules::module_kind::redis)) {
        auto check = module->check_of_script(contender.servers, contender.path);
        if (check) return check;
    }
    return error{errc::bad_option, hold.path() + ": this hold is not on a Redis server"};
}

std::string_view stands_function() noexcept {
    return "local function turnstile_stands(key, znode) "
           "return redis.call('HEXISTS', key, znode) == 1 end ";
}

}  // namespace turnstile::redis

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
