// SPDX-License-Identifier: Apache-2.0
// Tests bursts of acquires in an SQLite file, which one session at a time can use.
#include <gtest/gtest.h>

#include "burst.hpp"
#include "sql_backend.hpp"

namespace turnstile::tests {
namespace {

TEST(sqlite_burst, of_acquires_of_free_locks_costs_no_hold) {
    const auto servers = connect_to_database();
    expect_a_burst_costs_no_hold(*servers, lock_path(), 10'000);
}

TEST(sqlite_burst, of_waiters_that_give_up_costs_no_hold) {
    const auto servers = connect_to_database();
    const auto other = connect_to_database(60s);
    expect_a_crowd_costs_no_hold(*servers, *other, lock_path(), 10'000);
}

}  // namespace
}  // namespace turnstile::tests
