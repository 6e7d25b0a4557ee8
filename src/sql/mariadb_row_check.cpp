// SPDX-License-Identifier: Apache-2.0
#include <mysql.h>

#include <memory>
#include <string>
#include <vector>

#include "sql/mariadb_text.hpp"
#include "sql/row_check.hpp"

namespace turnstile::sql {
namespace {

struct mariadb_result_end {
    void operator()(MYSQL_RES* r) const noexcept { ::mysql_free_result(r); }
};

// The first row; none where nothing is found.
result<std::vector<std::string>> ask(MYSQL* connection, const std::string& statement) {
    if (::mysql_real_query(connection, statement.data(), statement.size()) != 0)
        return error{errc::not_connected, ::mysql_error(connection)};
    const std::unique_ptr<MYSQL_RES, mariadb_result_end> found{::mysql_store_result(connection)};
    if (!found) return error{errc::not_connected, ::mysql_error(connection)};
    std::vector<std::string> cells;
    if (const MYSQL_ROW first = ::mysql_fetch_row(found.get()); first != nullptr)
        for (unsigned i = 0; i != ::mysql_num_fields(found.get()); ++i)
            cells.emplace_back(first[i], ::mysql_fetch_lengths(found.get())[i]);
    return cells;
}

// A plain read first: one that locks would lock, in this transaction's own isolation level, all that it passes over. The
// node's entry in one index is then locked, as it is at that moment: one that was removed since is not there. The index
// has all that is read, so that InnoDB does not lock the row behind it, and the node can be changed meanwhile.
result<bool> keeps_node(const std::string& which, const contender_row& wanted, MYSQL* connection) {
    const std::string end = mariadb_literal(wanted.znode);
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

}  // namespace

result<void> check_row(const contender_row& wanted, st_mysql* connection) {
    const unsigned status = connection->server_status;
    if ((status & SERVER_STATUS_IN_TRANS) == 0 && (status & SERVER_STATUS_AUTOCOMMIT) != 0)
        return error{errc::bad_option, "sql::check: the connection is in no transaction"};
    // Which of the two names it has depends on the server's version.
    const auto level = ask(connection,
                           "SHOW SESSION VARIABLES WHERE Variable_name IN ('tx_isolation', "
                           "'transaction_isolation')");
    if (!level) return level.error();
    if (!level->empty() && level->back() == "SERIALIZABLE")
        return error{errc::bad_option,
                     "sql::check: the connection is SERIALIZABLE, where each read locks what it "
                     "passes over: REPEATABLE READ or READ COMMITTED is needed"};
    const std::string number = std::to_string(wanted.created);
    for (const char* const condition : {"czxid = ", "czxid <> "}) {
        const auto found = keeps_node(condition + number, wanted, connection);
        if (!found) return found.error();
        if (*found) return {};
    }
    return error{errc::removed,
                 wanted.znode +
                     " is not in this database, or the transaction began to read before the grant"};
}

}  // namespace turnstile::sql
