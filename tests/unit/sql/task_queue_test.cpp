// SPDX-License-Identifier: Apache-2.0
#include "sql/task_queue.hpp"

#include <gtest/gtest.h>

#include "support/poll_time.hpp"

namespace turnstile::sql {
namespace {

constexpr std::size_t k_longest_path = 2'000;

core::request read_of(const char* path) {
    return {core::ticket{1}, core::children_op{path}};
}

TEST(task_queue, is_readable_while_there_may_be_a_task) {
    task_queue tasks{local::chroot{""}, k_longest_path};
    EXPECT_FALSE(support::is_readable(tasks.fd()));
    tasks.submit(read_of("/a"), false);
    EXPECT_TRUE(support::is_readable(tasks.fd()));
    EXPECT_TRUE(tasks.take(1));
    EXPECT_FALSE(support::is_readable(tasks.fd()));
}

// The session's thread may take tasks between its last check of the session's state and its next wait. If take() then
// cleared the wake-up of close(), close() would wait for a thread that sleeps.
TEST(task_queue, stays_readable_after_close) {
    task_queue tasks{local::chroot{""}, k_longest_path};
    tasks.close();
    EXPECT_FALSE(tasks.take(1));
    EXPECT_TRUE(support::is_readable(tasks.fd()));
    tasks.submit(read_of("/a"), false);
    EXPECT_TRUE(tasks.take(1));
    EXPECT_TRUE(support::is_readable(tasks.fd()));
}

}  // namespace
}  // namespace turnstile::sql
