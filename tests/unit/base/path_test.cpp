// SPDX-License-Identifier: Apache-2.0
#include "base/path.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/utf8.hpp"

namespace turnstile::base {
namespace {

using std::string_literals::operator""s;

// Returns the message that refuses the path, or "accepted".
std::string refusal(const std::string& path) {
    const auto valid = validate_path(path);
    if (valid) return "accepted";
    EXPECT_EQ(valid.error(), errc::bad_path);
    return valid.error().message();
}

TEST(path, of_a_child_has_one_slash_before_the_name) {
    EXPECT_EQ(child_path("/locks/orders", "a"), "/locks/orders/a");
    EXPECT_EQ(child_path("/", "locks"), "/locks");
    EXPECT_EQ(child_path("/locks", ""), "/locks/");
}

TEST(path, accepts_what_the_servers_accept) {
    for (const auto& path : {"/"s, "/a"s, "/locks/orders"s, "/a b"s, "/a.b/..c/..."s,
                             "/gr\xc3\xbc"
                             "n"s,
                             "/\xe6\x97\xa5"s, "/a:b,c"s, "/" + std::string(255, 'x')}) {
        EXPECT_TRUE(validate_path(path)) << path;
    }
}

TEST(path, names_the_value_and_the_rule) {
    EXPECT_EQ(refusal(""), "bad path: path \"\": must not be empty");
    EXPECT_EQ(refusal("a"), "bad path: path \"a\": must start with \"/\"");
    EXPECT_EQ(refusal("/a/"), "bad path: path \"/a/\": must not end with \"/\"");
    EXPECT_EQ(refusal("/a//b"),
              "bad path: path \"/a//b\": must not contain an empty name (\"//\")");
    EXPECT_EQ(refusal("//"), "bad path: path \"//\": must not end with \"/\"");
    EXPECT_EQ(refusal("/a/./b"), "bad path: path \"/a/./b\": must not contain the name \".\"");
    EXPECT_EQ(refusal("/.."), "bad path: path \"/..\": must not contain the name \"..\"");
}

TEST(path, refuses_characters_that_the_servers_refuse) {
    EXPECT_EQ(refusal("/a\0b"s),
              "bad path: path \"/a\\x00b\": character U+0000 at byte 2 is not allowed");
    for (const auto& character :
         {"\x01"s, "\x1f"s, "\x7f"s, "\xc2\x80"s, "\xc2\x9f"s, "\xee\x80\x80"s, "\xef\xa3\xbf"s,
          "\xef\xbf\xb0"s, "\xef\xbf\xbf"s, "\xf0\x9f\x94\x92"s}) {
        EXPECT_NE(refusal("/x" + character).find("at byte 2 is not allowed"), std::string::npos)
            << printable(character);
    }
    // These characters lie just outside the refused ranges.
    for (const auto& character :
         {"\x20"s, "\x7e"s, "\xc2\xa0"s, "\xed\x9f\xbf"s, "\xef\xa4\x80"s, "\xef\xbf\xaf"s}) {
        EXPECT_TRUE(validate_path("/x" + character)) << printable(character);
    }
}

TEST(path, refuses_what_is_no_utf8) {
    for (const auto& bytes :
         {"\x80"s, "\xc3"s, "\xc0\xaf"s, "\xc1\xbf"s, "\xe0\x80\xaf"s, "\xed\xa0\x80"s,
          "\xf4\x90\x80\x80"s, "\xf8\x88\x80\x80\x80"s, "\xff"s, "\xe6\x97"s, "\xc3("s}) {
        EXPECT_NE(refusal("/" + bytes + "/x").find("byte 1 is not valid UTF-8"), std::string::npos)
            << printable(bytes);
    }
}

TEST(path, is_bounded) {
    const std::string longest = "/" + std::string(k_longest_path - 1, 'x');
    EXPECT_TRUE(validate_path(longest));
    const auto message = refusal(longest + "x");
    EXPECT_NE(message.find("has 32769 bytes, more than the 32768 that are allowed"),
              std::string::npos);
    EXPECT_LT(message.size(), 250U);
}

TEST(path, quoted_escapes_and_shortens) {
    EXPECT_EQ(printable("a\"b\\c\n\xff"), R"("a\"b\\c\x0a\xff")");
    EXPECT_EQ(printable(std::string(81, 'x')), "\"" + std::string(80, 'x') + "\"...");
}

TEST(path, decodes_each_length_of_utf8) {
    EXPECT_EQ(support::decode_utf8("A").code_point, U'A');
    EXPECT_EQ(support::decode_utf8("\xc3\xbc").code_point, 0xfcU);
    EXPECT_EQ(support::decode_utf8("\xe6\x97\xa5").code_point, 0x65e5U);
    EXPECT_EQ(support::decode_utf8("\xf0\x9f\x94\x92").code_point, 0x1f512U);
    EXPECT_EQ(support::decode_utf8("\xf0\x9f\x94\x92").length, 4U);
    EXPECT_EQ(support::decode_utf8("").length, 0U);
}

}  // namespace
}  // namespace turnstile::base
