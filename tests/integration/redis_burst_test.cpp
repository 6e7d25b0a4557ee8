// SPDX-License-Identifier: Apache-2.0
// Tests bursts of requests to a Redis server: the messages that keep the session alive must not wait behind a burst.
#include <gtest/gtest.h>

#include "burst.hpp"
#include "redis_support.hpp"

namespace turnstile::tests {
namespace {

using redis_burst = on_redis;

TEST_F(redis_burst, of_acquires_of_free_locks_costs_no_hold) {
    const auto servers = connect(server.connect_string(), with_timeout(4s));
    expect_a_burst_costs_no_hold(*servers, path, 2'000);
}

TEST_F(redis_burst, of_waiters_that_give_up_costs_no_hold) {
    const auto servers = connect(server.connect_string(), with_timeout(4s));
    const auto other = connect(server.connect_string(), with_timeout(20s));
    expect_a_crowd_costs_no_hold(*servers, *other, path, 2'000);
}

}  // namespace
}  // namespace turnstile::tests
