// SPDX-License-Identifier: Apache-2.0
// A MariaDB or MySQL server that all tests of a program share.
#pragma once

#include "sql_server.hpp"
#include "turnstile/testing/mariadb_server.hpp"

namespace turnstile::tests {

[[nodiscard]] testing::mariadb_server& shared_server();

// Returns true if the tests run on MySQL (TURNSTILE_TEST_MYSQL), and false on MariaDB.
[[nodiscard]] inline bool is_mysql() {
    static const bool found = shared_server().run_sql("SELECT VERSION() LIKE '%MariaDB%'") == "0\n";
    return found;
}

}  // namespace turnstile::tests
