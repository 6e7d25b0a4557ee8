// SPDX-License-Identifier: Apache-2.0
#include <libpq-fe.h>

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "sql/row_check.hpp"

namespace turnstile::sql {
namespace {

struct result_end {
    void operator()(PGresult* r) const noexcept { ::PQclear(r); }
};

constexpr std::string_view k_no_such_table = "42P01";

// If another transaction is removing the row, the statement waits for that transaction, and then finds no row.
constexpr const char* k_by_number =
    "SELECT path FROM turnstile_nodes WHERE czxid = $1 AND owner <> 0 AND right(path, "
    "length($2)) = $2 FOR KEY SHARE";
constexpr const char* k_by_path =
    "SELECT path FROM turnstile_nodes WHERE czxid <> $1 AND owner <> 0 AND right(path, "
    "length($2)) = $2 FOR KEY SHARE";

result<bool> locks(const char* statement, const std::string& znode, std::int64_t created,
                   PGconn* connection) {
    const std::string number = std::to_string(created);
    const std::array values{number.c_str(), znode.c_str()};
    const std::unique_ptr<PGresult, result_end> r{
        ::PQexecParams(connection, statement, 2, nullptr, values.data(), nullptr, nullptr, 0)};
    if (::PQresultStatus(r.get()) == PGRES_TUPLES_OK) return ::PQntuples(r.get()) == 1;
    const char* const state = ::PQresultErrorField(r.get(), PG_DIAG_SQLSTATE);
    if (state != nullptr && state == k_no_such_table) return not_the_lock_s_database();
    return error{errc::not_connected, ::PQerrorMessage(connection)};
}

}  // namespace

result<void> check_postgresql_row(const std::string& znode, std::int64_t created, void* of_user) {
    auto* const connection = static_cast<PGconn*>(of_user);
    if (::PQtransactionStatus(connection) != PQTRANS_INTRANS)
        return error{errc::bad_option,
                     "sql::check: the connection is in no transaction, or in one that has failed"};
    for (const char* const statement : {k_by_number, k_by_path}) {
        const auto found = locks(statement, znode, created, connection);
        if (found.has_error()) return found.error();
        if (*found) return {};
    }
    return error{errc::removed, znode + " is not in this database"};
}

}  // namespace turnstile::sql
