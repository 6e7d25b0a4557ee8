// SPDX-License-Identifier: Apache-2.0
// Questions that are asked with no time left, or with nothing to ask for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "turnstile/testing/test_deadline.hpp"
#include "turnstile/turnstile.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

// No lock was asked for: "the deadline passed before the lock was free" would be untrue.
TEST(early_questions, a_client_that_is_given_no_time_is_not_connected) {
    client servers{"local:early-questions"};
    ASSERT_TRUE(servers.wait_connected(testing::limit()));
    const auto again = servers.wait_connected(0s);
    if (again) return;  // the answer was there at once
    EXPECT_EQ(again.error(), errc::not_connected);
    EXPECT_THAT(again.error().message(), ::testing::HasSubstr("has not answered yet"));
}

TEST(early_questions, an_empty_guard_has_no_position) {
    client servers{"local:early-questions"};
    const mutex lock{servers, "/early/questions"};
    const guard nothing;
    EXPECT_EQ(lock.position(nothing, {.timeout = testing::limit()}).error(), errc::not_held);
}

}  // namespace
}  // namespace turnstile::tests
