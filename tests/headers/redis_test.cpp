// SPDX-License-Identifier: Apache-2.0
// Runs the examples of turnstile/redis.hpp, turnstile/testing/redis_server.hpp and
// turnstile/testing/redis_sentinel.hpp.
#include <hiredis/hiredis.h>

#include "headers/reader.hpp"
#include "turnstile/redis.hpp"
#include "turnstile/testing/redis_sentinel.hpp"
#include "turnstile/testing/redis_server.hpp"

namespace turnstile::testing {
namespace {

TEST(header_examples, redis_server) {
#include "examples/testing/redis_server.inc"
    EXPECT_TRUE(client.wait_connected(limit()));
}

TEST(header_examples, redis_sentinel) {
#include "examples/testing/redis_sentinel.inc"
    EXPECT_TRUE(replaced);
    EXPECT_NE(servers.master(), old);
    EXPECT_TRUE(client.wait_connected(limit()));
}

TEST(header_examples, redis) {
    redis_server server;
    server.start();
    turnstile::client client{server.connect_string()};
    turnstile::mutex orders{client, "/locks/orders"};
    const auto hold = orders.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_EQ(server.ask("SET {turnstile}:stock 3"), "+OK");
    redisContext* const db = redisConnect("127.0.0.1", server.port());
    // The example leaves out the code that frees the answer.
    const auto redisCommand = [](redisContext* to, auto... words) {
        freeReplyObject(::redisCommand(to, words...));
    };
    {
#include "examples/redis.inc"
    } redisFree(db);
    EXPECT_EQ(server.ask("GET {turnstile}:stock"), "2");
}

}  // namespace
}  // namespace turnstile::testing
