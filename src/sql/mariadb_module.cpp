// SPDX-License-Identifier: Apache-2.0
// The module libturnstile-mariadb: the entry, whose functions the core library calls (modules/entry.hpp), the dialect
// of MariaDB (linked_dialects.hpp), and the check of a row in a user's own transaction (row_check.hpp).
#include <mysql.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "modules/entry.hpp"
#include "sql/coordinator.hpp"
#include "sql/dialects.hpp"
#include "sql/mariadb_database.hpp"
#include "sql/mariadb_words.hpp"
#include "sql/row_check.hpp"
#include "turnstile/version.hpp"

namespace turnstile::sql {
namespace {

struct mariadb_result_end {
    void operator()(MYSQL_RES* r) const noexcept { ::mysql_free_result(r); }
};

bool is_without_tables(unsigned number) noexcept {
    constexpr unsigned k_no_such_table = 1146;
    constexpr unsigned k_no_database_chosen = 1046;
    return number == k_no_such_table || number == k_no_database_chosen;
}

// Returns the cells of the first row; an empty list if there is no row.
result<std::vector<std::string>> ask(MYSQL* connection, const std::string& statement) {
    if (::mysql_real_query(connection, statement.data(), statement.size()) != 0) {
        if (is_without_tables(::mysql_errno(connection))) return not_the_lock_s_database();
        return error{errc::not_connected, ::mysql_error(connection)};
    }
    const std::unique_ptr<MYSQL_RES, mariadb_result_end> found{::mysql_store_result(connection)};
    if (!found) return error{errc::not_connected, ::mysql_error(connection)};
    std::vector<std::string> cells;
    if (const MYSQL_ROW first = ::mysql_fetch_row(found.get()); first != nullptr)
        for (unsigned i = 0; i != ::mysql_num_fields(found.get()); ++i)
            cells.emplace_back(first[i], ::mysql_fetch_lengths(found.get())[i]);
    return cells;
}

// Finds the znode with a plain read, because at this isolation level a locking read would lock every row that it
// passes. Then locks only the znode's entry in one index. To remove the znode, another transaction must remove this
// entry, and waits. The index contains all columns that the statement reads. So InnoDB does not lock the row, and other
// transactions can still change the znode.
result<bool> keeps_node(const std::string& which, const std::string& znode, MYSQL* connection) {
    const std::string end = mariadb_literal(znode);
    const auto node =
        ask(connection, "SELECT path, czxid FROM turnstile_nodes WHERE " + which +
                            " AND owner <> 0 AND RIGHT(path, LENGTH(" + end + ")) = " + end);
    if (!node) return node.error();
    if (node->empty()) return false;
    const auto kept =
        ask(connection,
            "SELECT path FROM turnstile_nodes FORCE INDEX (turnstile_nodes_created) "
            "WHERE czxid = " +
                (*node)[1] + " AND path = " + mariadb_literal((*node)[0]) + " LOCK IN SHARE MODE");
    if (!kept) return kept.error();
    return !kept->empty();
}

// Detects an XA transaction. The check is necessary because InnoDB releases shared locks at XA PREPARE, long before the
// commit. The statement names an unknown branch, so the server always refuses it and changes nothing. If the
// connection has an active branch, the error is ER_XAER_NOTA, otherwise ER_XAER_RMFAIL (trans_xa_end in sql/xa.cc).
bool is_in_xa(MYSQL* connection) {
    constexpr unsigned k_unknown_branch = 1397;
    constexpr std::string_view k_statement = "XA END 'turnstile: no such branch'";
    return ::mysql_real_query(connection, k_statement.data(), k_statement.size()) != 0 &&
           ::mysql_errno(connection) == k_unknown_branch;
}

error in_no_transaction(std::string_view why) {
    return {errc::bad_option, "sql::check: the connection is in no transaction" + std::string{why}};
}

result<void> check_mariadb_row(const std::string& znode, std::int64_t created, void* of_user) {
    auto* const connection = static_cast<MYSQL*>(of_user);
    const unsigned status = connection->server_status;
    const auto number_of_connection = ::mysql_thread_id(connection);
    if ((status & SERVER_STATUS_IN_TRANS) == 0 && (status & SERVER_STATUS_AUTOCOMMIT) != 0)
        return in_no_transaction("");
    if (is_in_xa(connection))
        return error{
            errc::bad_option,
            "sql::check: the connection is in an XA transaction, whose locks end before it "
            "commits"};
    // The name of the variable with the isolation level depends on the server's version.
    const auto level = ask(connection,
                           "SHOW SESSION VARIABLES WHERE Variable_name IN ('tx_isolation', "
                           "'transaction_isolation')");
    if (!level) return level.error();
    if (!level->empty() && level->back() == "SERIALIZABLE")
        return error{errc::bad_option,
                     "sql::check: the connection's isolation level is SERIALIZABLE, in which a "
                     "read locks all rows that it scans; use REPEATABLE READ or READ COMMITTED"};
    const std::string number = std::to_string(created);
    for (const char* const condition : {"czxid = ", "czxid <> "}) {
        const auto found = keeps_node(condition + number, znode, connection);
        if (found.has_error()) return found.error();
        if (!*found) continue;
        // libmariadb may have reconnected silently (MYSQL_OPT_RECONNECT). Then the statements were separate
        // transactions, and the lock is gone.
        if (::mysql_thread_id(connection) != number_of_connection ||
            (connection->server_status & SERVER_STATUS_IN_TRANS) == 0)
            return in_no_transaction(" any more, because it was lost and opened again");
        return {};
    }
    return error{errc::removed, znode +
                                    " is not in this database, or the transaction began to read "
                                    "before the lock was granted"};
}

std::unique_ptr<database> make_mariadb(const wanted_database& wanted) {
    return std::make_unique<mariadb_database>(mariadb_settings{
        parse_mariadb_target(wanted.where.target).value(), to_string(wanted.where), wanted.patience,
        wanted.session.closing, wanted.lacking, wanted.session.failures});
}

// Returns false also if the server cannot be reached or is unsuitable.
bool mariadb_keeps_commits(const database_address& where) {
    return ask_apart(false, [&] {
        mariadb_database asked{
            {parse_mariadb_target(where.target).value(), to_string(where), k_examination, nullptr}};
        return asked.examine().keeps_commits;
    });
}

constexpr dialect k_mariadb_dialect{
    .make = make_mariadb, .keeps_commits = mariadb_keeps_commits, .fault_of = nullptr};

constexpr modules::entry k_mariadb_entry{.version = TURNSTILE_VERSION,
                                         .make = make_servers,
                                         .check_row = check_mariadb_row,
                                         .check_of_script = nullptr,
                                         .look_at_file = nullptr,
                                         .end_session = end_orphan};

}  // namespace

const dialect* mariadb_dialect() noexcept {
    return &k_mariadb_dialect;
}

}  // namespace turnstile::sql

TURNSTILE_MODULE_ENTRY const turnstile::modules::entry* turnstile_module_mariadb(
    const turnstile::modules::host* services) noexcept {
    turnstile::modules::attach(services);
    return &turnstile::sql::k_mariadb_entry;
}
