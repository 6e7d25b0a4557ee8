// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <memory>

#include "sql/row_check.hpp"

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

}  // namespace

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

}  // namespace turnstile::sql
