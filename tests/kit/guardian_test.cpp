// SPDX-License-Identifier: Apache-2.0
// A test as a user would write it: a worker is killed while it holds a lock (docs/how-to/testing.md).
#include <gtest/gtest.h>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/turnstile.hpp"

namespace turnstile::testing {
namespace {

class killed_workers : public ::testing::Test {
protected:
    const temporary_folder scratch;
    const std::filesystem::path log = scratch.path() / "worker";
    const ensemble servers{};
    client others{servers.connect_string()};
    mutex orders{others, "/locks/orders"};
};

// The worker's session time-out is longer than this waits: only the guardian can have ended the session.
TEST_F(killed_workers, with_a_guardian_hand_over_at_once) {
    process worker{
        {.command = {WORKER, servers.connect_string(), orders.path(), GUARDIAN}, .output = log}};
    ASSERT_TRUE(worker.wait_for_output("held"));
    worker.kill();
    EXPECT_TRUE(orders.acquire({.timeout = limit()}));
}

// The worker that is killed after it, and has a guardian, is past long before.
TEST_F(killed_workers, without_one_keep_the_lock_for_their_session_time_out) {
    mutex bills{others, "/locks/bills"};
    const auto second_log = scratch.path() / "second";
    process worker{
        {.command = {WORKER, servers.connect_string(), bills.path()}, .output = second_log}};
    process guarded{
        {.command = {WORKER, servers.connect_string(), orders.path(), GUARDIAN}, .output = log}};
    ASSERT_TRUE(worker.wait_for_output("held"));
    ASSERT_TRUE(guarded.wait_for_output("held"));
    worker.kill();
    guarded.kill();
    ASSERT_TRUE(orders.acquire({.timeout = limit()}));
    const auto taken = bills.try_acquire();
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error(), errc::busy);
}

}  // namespace
}  // namespace turnstile::testing
