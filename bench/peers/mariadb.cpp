// SPDX-License-Identifier: Apache-2.0
// Peers that lock with MariaDB by libmariadb alone, without Turnstile:
//
//     mariadb HOST:PORT lock     calls GET_LOCK and RELEASE_LOCK
//     mariadb HOST:PORT row      inserts a row and deletes it, in two commits; a lock in a table cannot do less work
//
// The peers log in as root without a password, in the database `test`. They send statements as text, because programs
// that call GET_LOCK send text.
#include <mysql.h>

#include <memory>

#include "plain_lock.hpp"

namespace {

struct connection_deleter {
    void operator()(MYSQL* c) const { mysql_close(c); }
};
struct result_deleter {
    void operator()(MYSQL_RES* r) const { mysql_free_result(r); }
};

struct address {
    std::string host;
    unsigned port = 0;
    bool rows = false;
};

// The benchmarks' paths contain no character that must be escaped in SQL.
std::string acquire_text(const address& where, const std::string& path) {
    if (where.rows)
        return "INSERT INTO bench_rows VALUES ('" + path + "', 'a holder and its metadata', 1)";
    return "SELECT GET_LOCK('" + path + "', 600)";
}
std::string release_text(const address& where, const std::string& path) {
    if (where.rows) return "DELETE FROM bench_rows WHERE path = '" + path + "'";
    return "SELECT RELEASE_LOCK('" + path + "')";
}

class mariadb_lock {
public:
    explicit mariadb_lock(const address& where) : where_{where}, connection_{mysql_init(nullptr)} {
        if (mysql_real_connect(connection_.get(), where.host.c_str(), "root", "", "test",
                               where.port, nullptr, 0) == nullptr)
            throw std::runtime_error{mysql_error(connection_.get())};
        if (where.rows)
            run("CREATE TABLE IF NOT EXISTS bench_rows (path varchar(200) PRIMARY KEY, data "
                "blob, at bigint) ENGINE=InnoDB");
    }

    void acquire(const std::string& path) { run(acquire_text(where_, path)); }
    void release(const std::string& path) { run(release_text(where_, path)); }
    [[nodiscard]] std::string version() const {
        const std::string all = mysql_get_server_info(connection_.get());
        return all.substr(0, all.find('-'));
    }

private:
    // Executes a statement. If it returns a row, the row's first column must be 1.
    void run(const std::string& text) {
        if (mysql_real_query(connection_.get(), text.data(), text.size()) != 0)
            throw std::runtime_error{mysql_error(connection_.get())};
        const std::unique_ptr<MYSQL_RES, result_deleter> rows{
            mysql_store_result(connection_.get())};
        if (!rows) return;
        const MYSQL_ROW row = mysql_fetch_row(rows.get());
        if (row == nullptr || row[0] == nullptr || std::string{row[0]} != "1")
            throw std::runtime_error{"the lock was not to be had: " + text};
    }

    address where_;
    std::unique_ptr<MYSQL, connection_deleter> connection_;
};

}  // namespace

int main(int argc, char** argv) {
    const std::string where = argc == 3 ? argv[1] : "";
    const std::string kind = argc == 3 ? argv[2] : "";
    const auto colon = where.rfind(':');
    if (colon == std::string::npos || (kind != "lock" && kind != "row")) {
        std::cerr << "usage: mariadb HOST:PORT lock|row\n";
        return 2;
    }
    const address server{where.substr(0, colon),
                         static_cast<unsigned>(bench::number(where.substr(colon + 1))),
                         kind == "row"};
    auto known = bench::plain_commands([server] { return mariadb_lock{server}; });
    if (server.rows) std::erase_if(known, [](const auto& each) { return each.first != "cycle"; });
    bench::serve(mariadb_lock{server}.version(), known);
}
