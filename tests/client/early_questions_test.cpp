// SPDX-License-Identifier: Apache-2.0
// Tests calls with a timeout of 0 s, and queries without a path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "turnstile/testing/test_deadline.hpp"
#include "turnstile/turnstile.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

// No lock was requested, so the error must not mention a lock.
TEST(early_questions, a_client_that_is_given_no_time_is_not_connected) {
    client servers{"local:early-questions"};
    ASSERT_TRUE(servers.wait_connected(testing::limit()));
    const auto again = servers.wait_connected(0s);
    if (again) return;  // the answer arrived at once
    EXPECT_EQ(again.error(), errc::not_connected);
    EXPECT_THAT(again.error().message(), ::testing::HasSubstr("has not answered yet"));
}

// This call releases a lock, so the error must not say that no lock was granted.
TEST(early_questions, a_release_that_is_given_no_time_speaks_of_the_release) {
    client servers{"local:early-questions"};
    mutex lock{servers, "/early/release"};
    for (const auto time : {-1s, 0s}) {
        auto hold = lock.acquire({.timeout = testing::limit()}).value();
        const auto released = hold.release(time);
        if (released) continue;  // the answer arrived at once
        EXPECT_EQ(released.error().message(), "the deadline passed: " + released.error().detail());
        EXPECT_THAT(released.error().detail(),
                    ::testing::HasSubstr("have not confirmed the release"));
    }
}

TEST(early_questions, an_empty_guard_has_no_position) {
    client servers{"local:early-questions"};
    const mutex lock{servers, "/early/questions"};
    const guard nothing;
    EXPECT_EQ(lock.position(nothing, {.timeout = testing::limit()}).error(), errc::not_held);
}

}  // namespace
}  // namespace turnstile::tests
