// SPDX-License-Identifier: Apache-2.0
// A MariaDB server that all tests of a program share.
#pragma once

#include "sql_server.hpp"
#include "turnstile/testing/mariadb_server.hpp"

namespace turnstile::tests {

[[nodiscard]] testing::mariadb_server& shared_server();

}  // namespace turnstile::tests
