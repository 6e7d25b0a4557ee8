// SPDX-License-Identifier: Apache-2.0
#include "support/hexadecimal.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/random_digits.hpp"

namespace turnstile::support {
namespace {

TEST(hexadecimal, has_two_lower_case_digits_for_each_byte) {
    EXPECT_EQ(hexadecimal_digits(std::array<unsigned char, 3>{0x00, 0x0a, 0xff}), "000aff");
    EXPECT_EQ(hexadecimal_digits({}), "");
}

TEST(hexadecimal, writes_numbers_as_session_ids_are_written) {
    EXPECT_EQ(hexadecimal_number(0), "0x0");
    EXPECT_EQ(hexadecimal_number(0x5000000a1), "0x5000000a1");
    EXPECT_EQ(hexadecimal_number(-1), "0xffffffffffffffff");
}

TEST(hexadecimal, reads_the_byte_in_front) {
    EXPECT_EQ(byte_of_hexadecimal("0a"), 0x0a);
    EXPECT_EQ(byte_of_hexadecimal("fF."), 0xff);
    EXPECT_EQ(byte_of_hexadecimal("ff", digit_case::lower), 0xff);
    EXPECT_EQ(byte_of_hexadecimal("fF", digit_case::lower), std::nullopt);
}

TEST(hexadecimal, refuses_what_is_not_two_digits) {
    for (const auto* text : {"", "a", "0x", "+1", "-1", " 1", "1 ", "g0"})
        EXPECT_EQ(byte_of_hexadecimal(text), std::nullopt) << text;
}

TEST(hexadecimal, of_random_bytes_differs) {
    EXPECT_EQ(random_digits<16>().size(), 32U);
    EXPECT_NE(random_digits<16>(), random_digits<16>());
}

}  // namespace
}  // namespace turnstile::support
