// SPDX-License-Identifier: Apache-2.0
#include "sql/sql_session.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace turnstile::sql {
namespace {

class sql_failures : public ::testing::Test {
protected:
    // Returns true if the session must log the failure.
    bool fail(failure kind) { return failures.note({kind, "this user lacks a right"}, chance); }

    base::random chance{1};
    database_failures failures{std::make_shared<base::latest_failure>()};
};

TEST_F(sql_failures, of_connections_begin_anew_after_a_statement) {
    EXPECT_TRUE(fail(failure::lost));
    EXPECT_FALSE(fail(failure::lost));
    failures.forget();
    EXPECT_TRUE(fail(failure::lost));
    EXPECT_LE(failures.pause(), std::chrono::milliseconds{20});
}

// A revoked right prevents one statement. Meanwhile the session's touches (the writes that keep the session alive)
// succeed.
TEST_F(sql_failures, that_are_permanent_are_logged_once_and_make_the_pauses_longer) {
    EXPECT_TRUE(fail(failure::fatal));
    for (int i = 0; i != 10; ++i) {
        failures.forget();
        EXPECT_FALSE(fail(failure::fatal));
    }
    EXPECT_GE(failures.pause(), std::chrono::milliseconds{500});
}

}  // namespace
}  // namespace turnstile::sql
