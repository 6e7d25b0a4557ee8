// SPDX-License-Identifier: Apache-2.0
// Runs the example of turnstile/testing/mariadb_server.hpp.
#include "headers/reader.hpp"
#include "turnstile/testing/mariadb_server.hpp"

namespace turnstile::testing {
namespace {

TEST(header_examples, mariadb_server) {
#include "examples/testing/mariadb_server.inc"
    EXPECT_TRUE(client.wait_connected(limit()));
}

}  // namespace
}  // namespace turnstile::testing
