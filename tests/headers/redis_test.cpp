// SPDX-License-Identifier: Apache-2.0
// The example of turnstile/testing/redis_server.hpp.
#include "headers/reader.hpp"
#include "turnstile/testing/redis_server.hpp"

namespace turnstile::testing {
namespace {

TEST(header_examples, redis_server) {
#include "examples/testing/redis_server.inc"
    EXPECT_TRUE(client.wait_connected(limit()));
}

}  // namespace
}  // namespace turnstile::testing
