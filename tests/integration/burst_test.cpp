// SPDX-License-Identifier: Apache-2.0
// Tests bursts of requests to a ZooKeeper server. The messages that keep the session alive must not wait behind a
// burst.
#include <gtest/gtest.h>

#include "burst.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

TEST(burst, of_acquires_of_free_locks_costs_no_hold) {
    const auto servers = connect(server().connect_string(), quick_options());
    expect_a_burst_costs_no_hold(*servers, lock_path(), 2'000);
}

TEST(burst, of_waiters_that_give_up_costs_no_hold) {
    const auto servers = connect(server().connect_string(), quick_options());
    const auto other = connect(server().connect_string(), quick_options(20s));
    expect_a_crowd_costs_no_hold(*servers, *other, lock_path(), 2'000);
}

}  // namespace
}  // namespace turnstile::tests
