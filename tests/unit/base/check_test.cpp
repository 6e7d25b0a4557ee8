// SPDX-License-Identifier: Apache-2.0
#include "base/check.hpp"

#include <gtest/gtest.h>

namespace turnstile::base {
namespace {

TEST(check, what_holds_goes_on) {
    int looks = 0;
    TURNSTILE_CHECK(++looks == 1);
    EXPECT_EQ(looks, 1);  // the condition was evaluated once
}

TEST(check_death, a_broken_rule_is_named_and_ends_the_process) {
    const bool holds = false;
    EXPECT_DEATH(TURNSTILE_CHECK(holds),
                 "turnstile: internal check failed: holds \\(check_test.cpp:[0-9]+\\)");
}

}  // namespace
}  // namespace turnstile::base
