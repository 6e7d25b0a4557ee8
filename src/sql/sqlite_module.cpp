// SPDX-License-Identifier: Apache-2.0
// The module libturnstile-sqlite: the entry, whose functions the core library calls (modules/entry.hpp), the dialect of
// SQLite (linked_dialects.hpp), and the check of a row in a user's own transaction (row_check.hpp).
#include <sqlite3.h>

#include <memory>

#include "modules/entry.hpp"
#include "sql/coordinator.hpp"
#include "sql/dialects.hpp"
#include "sql/row_check.hpp"
#include "sql/sqlite_database.hpp"
#include "sql/sqlite_file.hpp"
#include "turnstile/version.hpp"

namespace turnstile::sql {
namespace {

struct statement_end {
    void operator()(sqlite3_stmt* s) const noexcept { ::sqlite3_finalize(s); }
};

// The UPDATE changes no value, but takes the file's write lock, so no other transaction can remove the row until this
// transaction ends. SQLite refuses the UPDATE (SQLITE_BUSY_SNAPSHOT) if another transaction has written since this
// transaction's first read.
constexpr const char* k_statement =
    "UPDATE turnstile_nodes SET path = path WHERE owner <> 0 AND substr(path, -length(?1)) = ?1";

bool has_table(sqlite3* connection) {
    return ::sqlite3_table_column_metadata(connection, nullptr, "turnstile_nodes", nullptr, nullptr,
                                           nullptr, nullptr, nullptr, nullptr) == SQLITE_OK;
}

result<void> check_sqlite_row(const std::string& znode, std::int64_t /*created*/, void* of_user) {
    auto* const connection = static_cast<sqlite3*>(of_user);
    if (::sqlite3_get_autocommit(connection) != 0)
        return error{errc::bad_option, "sql::check: the connection is in no transaction"};
    sqlite3_stmt* prepared = nullptr;
    int code = ::sqlite3_prepare_v2(connection, k_statement, -1, &prepared, nullptr);
    const std::unique_ptr<sqlite3_stmt, statement_end> statement{prepared};
    if (code == SQLITE_OK) {
        ::sqlite3_bind_text64(prepared, 1, znode.data(), znode.size(), SQLITE_STATIC, SQLITE_UTF8);
        code = ::sqlite3_step(prepared);
    }
    if (code == SQLITE_ERROR && !has_table(connection)) return not_the_lock_s_database();
    if (code != SQLITE_DONE) return error{errc::not_connected, ::sqlite3_errmsg(connection)};
    if (::sqlite3_changes(connection) == 1) return {};
    return error{errc::removed, znode + " is not in this database"};
}

std::unique_ptr<database> make_sqlite(const wanted_database& wanted) {
    return std::make_unique<sqlite_database>(sqlite_settings{
        wanted.where.target, wanted.patience, wanted.session.closing, wanted.session.guardian});
}

constexpr dialect k_sqlite_dialect{
    .make = make_sqlite, .keeps_commits = nullptr, .fault_of = nullptr};

result<file_health> health_of_sqlite_file(std::string_view connect_string) {
    const auto where = parse_connect_string(connect_string);
    if (!where) return where.error();
    auto seen = look_at_sqlite_file(where->target);
    return file_health{std::move(seen.file), seen.exists, std::move(seen.refusals),
                       std::move(seen.danger)};
}

constexpr modules::entry k_sqlite_entry{.version = TURNSTILE_VERSION,
                                        .make = make_servers,
                                        .check_row = check_sqlite_row,
                                        .check_of_script = nullptr,
                                        .look_at_file = health_of_sqlite_file};

}  // namespace

const dialect* sqlite_dialect() noexcept {
    return &k_sqlite_dialect;
}

}  // namespace turnstile::sql

TURNSTILE_MODULE_ENTRY const turnstile::modules::entry* turnstile_module_sqlite(
    const turnstile::modules::host* services) noexcept {
    turnstile::modules::attach(services);
    return &turnstile::sql::k_sqlite_entry;
}
