// SPDX-License-Identifier: Apache-2.0
// Peers that lock with PostgreSQL by libpq alone, without Turnstile:
//
//     postgresql URI lock     calls pg_advisory_lock and pg_advisory_unlock; the lock belongs to the session
//     postgresql URI row      inserts a row and deletes it, in two commits; a lock in a table cannot do less work
//
// Each connection prepares its statements once.
#include <libpq-fe.h>

#include <array>
#include <memory>

#include "plain_lock.hpp"

namespace {

struct result_deleter {
    void operator()(PGresult* r) const { PQclear(r); }
};
using result_ptr = std::unique_ptr<PGresult, result_deleter>;
struct connection_deleter {
    void operator()(PGconn* c) const { PQfinish(c); }
};

struct statements {
    const char* make;  // statement that runs first; may fail if another process was faster
    const char* acquire;
    const char* release;
};

constexpr statements k_lock{"SELECT 1", "SELECT pg_advisory_lock(hashtextextended($1, 0))",
                            "SELECT pg_advisory_unlock(hashtextextended($1, 0))"};
constexpr statements k_row{
    "CREATE TABLE IF NOT EXISTS bench_rows (path text PRIMARY KEY, data bytea, at bigint)",
    "INSERT INTO bench_rows VALUES ($1, 'a holder and its metadata', 1)",
    "DELETE FROM bench_rows WHERE path = $1"};

class postgresql_lock {
public:
    postgresql_lock(const std::string& uri, const statements& words)
        : connection_{PQconnectdb(uri.c_str())} {
        if (PQstatus(connection_.get()) != CONNECTION_OK)
            throw std::runtime_error{PQerrorMessage(connection_.get())};
        result_ptr{PQexec(connection_.get(), words.make)};
        check({PQprepare(connection_.get(), "acquire", words.acquire, 1, nullptr), {}});
        check({PQprepare(connection_.get(), "release", words.release, 1, nullptr), {}});
    }

    void acquire(const std::string& path) { run("acquire", path); }
    void release(const std::string& path) { run("release", path); }
    [[nodiscard]] std::string version() const {
        const std::string all = PQparameterStatus(connection_.get(), "server_version");
        return all.substr(0, all.find(' '));
    }

private:
    void run(const char* name, const std::string& path) {
        const std::array<const char*, 1> values{path.c_str()};
        check(result_ptr{
            PQexecPrepared(connection_.get(), name, 1, values.data(), nullptr, nullptr, 0)});
    }
    static void check(const result_ptr& r) {
        const auto status = PQresultStatus(r.get());
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
            throw std::runtime_error{PQresultErrorMessage(r.get())};
    }

    std::unique_ptr<PGconn, connection_deleter> connection_;
};

}  // namespace

int main(int argc, char** argv) {
    const std::string kind = argc == 3 ? argv[2] : "";
    if (kind != "lock" && kind != "row") {
        std::cerr << "usage: postgresql URI lock|row\n";
        return 2;
    }
    const std::string uri = argv[1];
    const statements& words = kind == "lock" ? k_lock : k_row;
    auto known = bench::plain_commands([uri, words] { return postgresql_lock{uri, words}; });
    if (kind == "row") std::erase_if(known, [](const auto& each) { return each.first != "cycle"; });
    bench::serve(postgresql_lock{uri, words}.version(), known);
}
