// SPDX-License-Identifier: Apache-2.0
// Runs the examples of turnstile/sql.hpp and turnstile/testing/postgres_server.hpp.
#include <libpq-fe.h>

#include "headers/reader.hpp"
#include "turnstile/sql.hpp"
#include "turnstile/testing/postgres_server.hpp"

namespace turnstile::testing {
namespace {

TEST(header_examples, postgres_server) {
#include "examples/testing/postgres_server.inc"
    EXPECT_TRUE(client.wait_connected(limit()));
}

TEST(header_examples, sql) {
    postgres_server server;
    server.start();
    turnstile::client client{server.connect_string()};
    turnstile::mutex orders{client, "/locks/orders"};
    const auto hold = orders.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto address = server.connect_string();
    const char* const database = address.c_str();
    const auto run = [](PGconn* db, const char* statement) {
        PGresult* const answer = PQexec(db, statement);
        const std::string value = PQntuples(answer) > 0 ? PQgetvalue(answer, 0, 0) : "";
        PQclear(answer);
        return value;
    };
    PGconn* const own = PQconnectdb(database);
    run(own, "CREATE TABLE stock (id integer, left_over integer)");
    run(own, "INSERT INTO stock VALUES (7, 3)");
    // The examples leave out the code that frees the answers.
    const auto PQexec = [&run](PGconn* db, const char* statement) { run(db, statement); };
    {
#include "examples/sql.inc"
        PQfinish(db);
    }
    EXPECT_EQ(run(own, "SELECT left_over FROM stock"), "2");
    PQfinish(own);
}

}  // namespace
}  // namespace turnstile::testing
