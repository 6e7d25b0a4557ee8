// SPDX-License-Identifier: Apache-2.0
// The module libturnstile-postgresql: the entry, whose functions the core library calls (modules/entry.hpp), the
// dialect of PostgreSQL (linked_dialects.hpp), and the check of a row in a user's own transaction (row_check.hpp).
#include <libpq-fe.h>

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "modules/entry.hpp"
#include "sql/coordinator.hpp"
#include "sql/dialects.hpp"
#include "sql/postgresql_database.hpp"
#include "sql/postgresql_uri.hpp"
#include "sql/row_check.hpp"
#include "turnstile/version.hpp"

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

std::unique_ptr<database> make_postgresql(const wanted_database& wanted) {
    return std::make_unique<postgresql_database>(
        postgresql_settings{wanted.where.target, to_string(wanted.where), wanted.patience,
                            wanted.session.closing, wanted.lacking, wanted.session.failures});
}

// Returns true also if the server cannot be reached: each session makes its own commits durable, and only an operator
// can disable that (fsync). Each connect of a session checks the required promises (guarantees) again.
bool postgresql_keeps_commits(const database_address& where) {
    return ask_apart(true, [&] {
        postgresql_database asked{
            {where.target, to_string(where), k_examination, std::make_shared<closing_signal>()}};
        return asked.keeps_commits();
    });
}

constexpr dialect k_postgresql_dialect{.make = make_postgresql,
                                       .keeps_commits = postgresql_keeps_commits,
                                       .fault_of = fault_of_postgresql};

constexpr modules::entry k_postgresql_entry{.version = TURNSTILE_VERSION,
                                            .make = make_servers,
                                            .check_row = check_postgresql_row,
                                            .check_of_script = nullptr,
                                            .look_at_file = nullptr,
                                            .end_session = end_orphan};

}  // namespace

const dialect* postgresql_dialect() noexcept {
    return &k_postgresql_dialect;
}

}  // namespace turnstile::sql

TURNSTILE_MODULE_ENTRY const turnstile::modules::entry* turnstile_module_postgresql(
    const turnstile::modules::host* services) noexcept {
    turnstile::modules::attach(services);
    return &turnstile::sql::k_postgresql_entry;
}
