// SPDX-License-Identifier: Apache-2.0
#include "base/duration_text.hpp"

#include <gtest/gtest.h>

namespace turnstile::base {
namespace {

using namespace std::chrono_literals;

TEST(exact_duration, has_the_units_that_a_person_writes) {
    EXPECT_EQ(duration_text(0ns), "0 s");
    EXPECT_EQ(duration_text(0ms), "0 s");
    EXPECT_EQ(duration_text(-1000000000ns), "-1 s");
    EXPECT_EQ(duration_text(7'200'000ms), "2 h");
    EXPECT_EQ(duration_text(90min), "1 h 30 min");
    EXPECT_EQ(duration_text(24h * 366), "366 d");
    EXPECT_EQ(duration_text(300ms), "300 ms");
    EXPECT_EQ(duration_text(29'970ms), "29.97 s");
}

TEST(exact_duration, loses_nothing) {
    EXPECT_EQ(duration_text(7ns), "7 ns");
    EXPECT_EQ(duration_text(1'050ns), "1.05 us");
    EXPECT_EQ(duration_text(1'000'001ns), "1.000001 ms");
    EXPECT_EQ(duration_text(60s + 1ns), "1 min 0.000000001 s");
    EXPECT_EQ(duration_text(3'600'001ms), "1 h 0.001 s");
    EXPECT_EQ(duration_text(-3'599'999ms), "-59 min 59.999 s");
}

TEST(exact_duration, is_right_at_the_ends_of_its_type) {
    EXPECT_EQ(duration_text(std::chrono::nanoseconds::max()),
              "106751 d 23 h 47 min 16.854775807 s");
    EXPECT_EQ(duration_text(std::chrono::nanoseconds::min()),
              "-106751 d 23 h 47 min 16.854775808 s");
    EXPECT_EQ(duration_text(std::chrono::milliseconds::min()),
              "-106751991167 d 7 h 12 min 55.808 s");
}

}  // namespace
}  // namespace turnstile::base
