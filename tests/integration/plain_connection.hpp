// SPDX-License-Identifier: Apache-2.0
// plain_connection: a program's connection to PostgreSQL, without the library.
#pragma once

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <memory>
#include <string>

#include "sql_backend.hpp"

namespace turnstile::tests {

// Thread safety: for one thread at a time.
class plain_connection {
public:
    explicit plain_connection(const std::string& where = database())
        : connection_{::PQconnectdb(where.c_str()), &::PQfinish} {
        EXPECT_EQ(::PQstatus(connection_.get()), CONNECTION_OK)
            << ::PQerrorMessage(connection_.get());
    }
    // Runs a query. Returns the first cell, the server's error, or an empty text if there is no row.
    std::string ask(const std::string& text) {
        const std::unique_ptr<PGresult, decltype(&::PQclear)> rows{
            ::PQexec(connection_.get(), text.c_str()), &::PQclear};
        return ::PQntuples(rows.get()) > 0 ? ::PQgetvalue(rows.get(), 0, 0)
                                           : ::PQresultErrorMessage(rows.get());
    }

private:
    std::unique_ptr<PGconn, decltype(&::PQfinish)> connection_;
};

}  // namespace turnstile::tests
