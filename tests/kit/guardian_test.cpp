// SPDX-License-Identifier: Apache-2.0
// Kills a worker that holds a lock, as a user's test would (docs/how-to/testing.md). A guardian is a process that then
// closes the worker's session.
#include <gtest/gtest.h>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/guardian_program.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/turnstile.hpp"

namespace turnstile::testing {
namespace {

class killed_workers : public ::testing::Test {
protected:
    // Kills a worker with a guardian. Returns when the guardian has closed the worker's session.
    void let_a_guardian_act() {
        process guarded{{.command = {WORKER, servers.connect_string(), orders.path(), GUARDIAN},
                         .output = log}};
        ASSERT_TRUE(guarded.wait_for_output("held\n"));
        guarded.kill();
        ASSERT_TRUE(orders.acquire({.timeout = limit()}).has_value());
    }

    const temporary_folder scratch;
    const std::filesystem::path log = scratch.path() / "worker";
    const ensemble servers{};
    client others{servers.connect_string()};
    mutex orders{others, "/locks/orders"};
    mutex bills{others, "/locks/bills"};
    const std::filesystem::path second_log = scratch.path() / "second";
};

// The session timeout is longer than this wait, so only the guardian can end the session.
TEST_F(killed_workers, with_a_guardian_hand_over_at_once) {
    process worker{
        {.command = {WORKER, servers.connect_string(), orders.path(), GUARDIAN}, .output = log}};
    ASSERT_TRUE(worker.wait_for_output("held\n"));
    worker.kill();
    EXPECT_TRUE(orders.acquire({.timeout = limit()}).has_value());
}

TEST_F(killed_workers, without_one_keep_the_lock_for_their_session_time_out) {
    process worker{
        {.command = {WORKER, servers.connect_string(), bills.path()}, .output = second_log}};
    ASSERT_TRUE(worker.wait_for_output("held\n"));
    worker.kill();
    let_a_guardian_act();
    const auto taken = bills.try_acquire();
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error(), errc::busy);
}

TEST_F(killed_workers, whose_guardian_was_killed_keep_it_as_long) {
    const guardian_program guardian{GUARDIAN};
    process worker{{.command = {WORKER, servers.connect_string(), bills.path(), guardian.path()},
                    .output = second_log}};
    ASSERT_TRUE(worker.wait_for_output("held\n"));
    ASSERT_EQ(guardian.running().size(), 1U);
    guardian.kill();
    EXPECT_TRUE(guardian.running().empty());
    EXPECT_TRUE(worker.running());
    worker.kill();
    let_a_guardian_act();
    const auto taken = bills.try_acquire();
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error(), errc::busy);
}

TEST_F(killed_workers, with_a_guardian_of_a_name_of_the_tests_own_hand_over_at_once) {
    const guardian_program guardian{GUARDIAN};
    const guardian_program another{GUARDIAN};
    process worker{{.command = {WORKER, servers.connect_string(), orders.path(), guardian.path()},
                    .output = log}};
    ASSERT_TRUE(worker.wait_for_output("held\n"));
    another.kill();
    worker.kill();
    EXPECT_TRUE(orders.acquire({.timeout = limit()}).has_value());
    EXPECT_TRUE(eventually([&] { return guardian.running().empty(); }));
}

TEST(guardian_program_test, needs_the_program) {
    EXPECT_THROW(guardian_program{"/nonexistent/guardian"}, std::runtime_error);
}

}  // namespace
}  // namespace turnstile::testing
