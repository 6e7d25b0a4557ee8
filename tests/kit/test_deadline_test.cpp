// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/test_deadline.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "turnstile/testing/event.hpp"

namespace {

using namespace std::chrono_literals;
using namespace turnstile::testing;

class scale_test : public ::testing::Test {
protected:
    static constexpr const char* k_variable = "TURNSTILE_TEST_TIME_SCALE";

    scale_test() {
        if (const char* value = std::getenv(k_variable)) before_ = value;
    }
    ~scale_test() override { ::setenv(k_variable, before_.c_str(), 1); }

    std::string before_;
};

TEST_F(scale_test, multiplies_every_limit) {
    ::setenv(k_variable, "2.5", 1);
    EXPECT_EQ(limit(), 150s);
    EXPECT_EQ(scaled(10ms), 25ms);
    EXPECT_GT(test_deadline{100s}.remaining(), 240s);
}

TEST_F(scale_test, is_measured_once_without_the_variable) {
    ::unsetenv(k_variable);
    const double measured = time_scale();
    EXPECT_GE(measured, 1);
    EXPECT_LE(measured, 32);
    EXPECT_EQ(time_scale(), measured);
}

TEST_F(scale_test, refuses_nonsense) {
    for (const char* nonsense : {"0", "-1", "fast", "2x", "inf", "nan"}) {
        ::setenv(k_variable, nonsense, 1);
        EXPECT_THROW((void)limit(), std::runtime_error) << nonsense;
    }
}

TEST(eventually_test, asks_at_least_once_and_until_true) {
    int questions = 0;
    EXPECT_FALSE(eventually([&] { return ++questions == 0; }, 0ms));
    EXPECT_EQ(questions, 1);
    EXPECT_TRUE(eventually([&] { return ++questions == 5; }));
    EXPECT_EQ(questions, 5);
}

TEST(event_test, wakes_those_who_wait) {
    event happened;
    EXPECT_FALSE(happened.is_set());
    EXPECT_FALSE(wait_for(happened, 1ms));
    std::jthread other{[&] {
        happened.set();
        happened.set();
    }};
    EXPECT_TRUE(happened.wait(2));
    EXPECT_EQ(happened.count(), 2U);
}

}  // namespace
