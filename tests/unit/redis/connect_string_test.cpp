// SPDX-License-Identifier: Apache-2.0
#include "redis/connect_string.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace turnstile::redis {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(redis_connect_string, all_parts) {
    const auto parsed =
        parse_connect_string("redis://locks:s%40cr%3at@redis1:7000/shop/eu?db=2&tree=blue&wait=1");
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(*parsed,
              (connect_string{"redis1", 7000, "locks", "s@cr:t", "/shop/eu", 2, "blue", 1}));
    EXPECT_EQ(to_string(*parsed), "redis://redis1:7000/shop/eu?db=2&tree=blue&wait=1");
    EXPECT_EQ(key_prefix(*parsed), "{turnstile:blue}");
}

TEST(redis_connect_string, what_is_left_out) {
    const auto parsed = parse_connect_string("redis://redis1");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(
        *parsed,
        (connect_string{.host = "redis1", .user = "", .password = "", .chroot = "", .tree = ""}));
    EXPECT_EQ(to_string(*parsed), "redis://redis1:6379");
    EXPECT_EQ(key_prefix(*parsed), "{turnstile}");
    EXPECT_EQ(parse_connect_string("redis://h/")->chroot, "");
    EXPECT_EQ(parse_connect_string("redis://:pw@h")->password, "pw");
    EXPECT_EQ(to_string(*parse_connect_string("redis://[::1]:7000?tree=a")),
              "redis://[::1]:7000?tree=a");
    EXPECT_EQ(parse_connect_string("redis://[::1]:7000")->host, "::1");
}

// The whole text, and a part of the sentence that refuses it.
struct refused_case {
    const char* text;
    const char* rule;
};

class redis_connect_string_refused : public ::testing::TestWithParam<refused_case> {};

TEST_P(redis_connect_string_refused, names_the_rule_and_no_password) {
    const auto parsed = parse_connect_string(GetParam().text);
    ASSERT_FALSE(parsed) << GetParam().text;
    EXPECT_EQ(parsed.error(), errc::bad_connect_string);
    EXPECT_THAT(parsed.error().message(),
                AllOf(HasSubstr(GetParam().rule), Not(HasSubstr("secret"))));
}

INSTANTIATE_TEST_SUITE_P(
    each, redis_connect_string_refused,
    ::testing::Values(
        refused_case{"redis://", "names no host"}, refused_case{"redis://:6379", "names no host"},
        refused_case{"redis://u:secret@h:0", "bad port"},
        refused_case{"redis://u:secret@h:65536", "bad port"},
        refused_case{"redis://u:secret@h:x", "bad port"},
        refused_case{"redis://u:sec%4@h", "two hex digits"},
        refused_case{"redis://user@h", "no password"},
        refused_case{"redis://a:1,b:2", "several servers"},
        refused_case{"redis://::1", "several colons"}, refused_case{"redis://[::1", "brackets"},
        refused_case{"redis://[::g!]:1", "no address has"},
        refused_case{"redis://h o", "no host name has"},
        refused_case{"redis://u:secret@h/a//b", "chroot"},
        refused_case{"redis://u:secret@h?db=-1", "db=-1"},
        refused_case{"redis://u:secret@h?db=99999999", "db=99999999"},
        refused_case{"redis://h?wait=many", "wait=many"}, refused_case{"redis://h?db=", "db="},
        refused_case{"redis://h?tree=a{b}", "tree=a{b}"}, refused_case{"redis://h?tree=", "tree="},
        refused_case{"redis://u:secret@h?timeout=1", "the option 'timeout'"},
        refused_case{"rediss://u:secret@h", "TLS"},
        refused_case{"redis+sentinel://u:secret@h", "Sentinel"}));

}  // namespace
}  // namespace turnstile::redis
