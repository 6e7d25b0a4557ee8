// SPDX-License-Identifier: Apache-2.0
#include "base/percent.hpp"

#include <gtest/gtest.h>

namespace turnstile::base {
namespace {

std::string escaped(std::string_view text) {
    std::string result;
    append_percent_escaped(result, text);
    return result;
}

TEST(percent, makes_one_word_of_a_text_and_gives_it_back) {
    EXPECT_EQ(escaped("a b\n100%"), "a%20b%0a100%25");
    EXPECT_EQ(percent_unescaped("a%20b%0a100%25"), "a b\n100%");
    EXPECT_EQ(percent_unescaped("%2"), "%2");
    EXPECT_EQ(percent_unescaped("%zz%"), "%zz%");
}

TEST(percent, decodes_only_what_is_whole) {
    EXPECT_EQ(percent_decoded("a%2Fb%2f"), "a/b/");
    EXPECT_EQ(percent_decoded(""), "");
    for (const auto* text : {"%", "%2", "a%2", "%zz", "%+1"})
        EXPECT_EQ(percent_decoded(text), std::nullopt) << text;
}

TEST(percent, decodes_lower_case_digits_alone_where_each_byte_has_one_text) {
    EXPECT_EQ(percent_decoded("%2f", support::digit_case::lower), "/");
    EXPECT_EQ(percent_decoded("%2F", support::digit_case::lower), std::nullopt);
}

}  // namespace
}  // namespace turnstile::base
