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
    const auto parsed = parse_connect_string(
        "redis://locks:s%40cr%3at@redis1:7000/shop/eu?db=2&tree=blue&wait=1&stay_out=30");
    ASSERT_TRUE(parsed) << parsed.error().message();
    redis_address wanted;
    wanted.servers = {{"redis1", 7000}};
    wanted.login = {"locks", "s@cr:t"};
    wanted.chroot = "/shop/eu";
    wanted.database = 2;
    wanted.tree = "blue";
    wanted.wait = 1;
    wanted.stay_out = 30;
    EXPECT_EQ(*parsed, wanted);
    EXPECT_EQ(to_string(*parsed), "redis://redis1:7000/shop/eu?db=2&tree=blue&wait=1&stay_out=30");
    EXPECT_EQ(key_prefix(*parsed), "{turnstile:blue}");
}

TEST(redis_connect_string, what_is_left_out) {
    const auto parsed = parse_connect_string("redis://redis1");
    ASSERT_TRUE(parsed);
    redis_address wanted;
    wanted.servers = {{"redis1", 6379}};
    EXPECT_EQ(*parsed, wanted);
    EXPECT_EQ(to_string(*parsed), "redis://redis1:6379");
    EXPECT_EQ(key_prefix(*parsed), "{turnstile}");
    EXPECT_EQ(parse_connect_string("redis://h/")->chroot, "");
    EXPECT_EQ(parse_connect_string("redis://:pw@h")->login, (credentials{"", "pw"}));
    EXPECT_EQ(to_string(*parse_connect_string("redis://[::1]:7000?tree=a")),
              "redis://[::1]:7000?tree=a");
    EXPECT_EQ(parse_connect_string("redis://[::1]:7000")->servers.front().host, "::1");
}

TEST(redis_connect_string, blanks_beside_commas_and_zones_as_in_urls) {
    const auto parsed = parse_connect_string("redis://a, b:7000 ,[fe80::1%25eth0]");
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(to_string(*parsed), "redis://a:6379,b:7000,[fe80::1%eth0]:6379");
}

TEST(redis_connect_string, nodes_of_a_cluster) {
    const auto parsed = parse_connect_string("redis://u:pw@a,b:7000/shop?tree=blue");
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(parsed->servers, (std::vector<server_address>{{"a", 6379}, {"b", 7000}}));
    EXPECT_EQ(to_string(*parsed), "redis://a:6379,b:7000/shop?tree=blue");
}

TEST(redis_connect_string, sentinels) {
    const auto parsed = parse_connect_string(
        "redis+sentinel://locks:pw@s1,s2:7000,[::1]/main/shop/eu?sentinel_username=u%40"
        "&sentinel_password=a%26b&db=2");
    ASSERT_TRUE(parsed) << parsed.error().message();
    redis_address wanted;
    wanted.servers = {{"s1", 26379}, {"s2", 7000}, {"::1", 26379}};
    wanted.master = "main";
    wanted.login = {"locks", "pw"};
    wanted.sentinel_login = {"u@", "a&b"};
    wanted.chroot = "/shop/eu";
    wanted.database = 2;
    EXPECT_EQ(*parsed, wanted);
    const auto* const shown = "redis+sentinel://s1:26379,s2:7000,[::1]:26379/main/shop/eu?db=2";
    EXPECT_EQ(to_string(*parsed), shown);
    EXPECT_EQ(to_string(*parse_connect_string(shown)), shown);
    for (const char* text : {"redis+sentinel://s1/main", "redis+sentinel://s1/main/"})
        EXPECT_EQ(parse_connect_string(text)->chroot, "") << text;
}

// A connect string that the parser must refuse, and a part of the message of that refusal.
struct refused_case {
    const char* text;
    const char* rule;
};
void PrintTo(const refused_case& tried, std::ostream* out) {
    *out << tried.text;
}

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
        refused_case{"redis://::1", "several colons"}, refused_case{"redis://[::1", "brackets"},
        refused_case{"redis://[::g!]:1", "no address has"},
        refused_case{"redis://h o", "write commas between servers"},
        refused_case{"redis://h;o:1", "write commas between servers"},
        refused_case{"redis://h!", "no host name has"},
        refused_case{"redis://u:secret@h/a//b", "chroot"},
        refused_case{"redis://u:secret@h/0", "does not select a database: write ?db=NUMBER"},
        refused_case{"redis+sentinel://u:secret@h/main/2", "write ?db=NUMBER"},
        refused_case{"redis://u:secret@h?db=-1", "db=-1"},
        refused_case{"redis://u:secret@h?db=99999999", "db=99999999"},
        refused_case{"redis://h?wait=many", "wait=many"},
        refused_case{"redis://h?stay_out=0", "stay_out=0"},
        refused_case{"redis://h?stay_out=30s", "stay_out=30s"},
        refused_case{"redis://h?stay_out=86401", "stay_out=86401"},
        refused_case{"redis://u:secret@h?db=1&tree=a&db=2", "has db twice"},
        refused_case{"redis://h?db=", "db="}, refused_case{"redis://h?tree=a{b}", "tree=a{b}"},
        refused_case{"redis://h?tree=", "tree="},
        refused_case{"redis://u:secret@h?timeout=1", "the unknown option 'timeout'"},
        refused_case{"redis://u:1?secret@h", "the unknown option '***'"},
        refused_case{"redis://u:1?db=secret@h", "db=***"},
        refused_case{"redis://u:1/secret//x@h", "'@' in its path"},
        refused_case{"redis://h?tree=\x1b[2J", "tree=\\x1b[2J"},
        refused_case{"redis:h", "begins neither"},
        refused_case{"redis://h?ca_file=/a",
                     "option ca_file, which only rediss:// and rediss+sentinel:// have"},
        refused_case{"redis://h?verify=none",
                     "option verify, which only rediss:// and rediss+sentinel:// have"},
        refused_case{"redis+sentinel://u:secret@h", "names no master"},
        refused_case{"redis+sentinel://u:secret@h/", "names no master"},
        refused_case{"redis+sentinel://u:secret@h//a", "names no master"},
        refused_case{"redis+sentinel://u:secret@a,,b/main", "names no host"},
        refused_case{"redis+sentinel://u:secret@a,/main", "after its last comma"},
        refused_case{"redis+sentinel://a/ma%20in", "the name of a master cannot have"},
        refused_case{"redis+sentinel://a/main/b//c", "chroot"},
        refused_case{"redis+sentinel://a/main?sentinel_password=sec%ret", "two hex digits"},
        refused_case{"redis+sentinel://a/main?sentinel_password=", "sentinel_password is empty"},
        refused_case{"redis+sentinel://a/main?sentinel_username=u", "no sentinel_password"},
        refused_case{
            "redis://a?sentinel_password=secret",
            "option sentinel_password, which only redis+sentinel:// and rediss+sentinel:// have"}));

// A build without TLS refuses all of these texts.
TEST(redis_connect_string, tls) {
    if (!tls::has_tls()) {
        EXPECT_THAT(parse_connect_string("rediss://u:secret@h").error().message(),
                    AllOf(HasSubstr("TURNSTILE_WITH_TLS"), Not(HasSubstr("secret"))));
        return;
    }
    const auto parsed = parse_connect_string(
        "rediss://h/shop?ca_file=/a%26b.crt&cert_file=/c.crt&key_file=/c.key&verify=ca&db=1");
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(parsed->tls,
              (tls::settings{true, tls::verification::authority, "/a&b.crt", "/c.crt", "/c.key"}));
    EXPECT_EQ(to_string(*parsed), "rediss://h:6379/shop?db=1");
    EXPECT_EQ(to_string(*parse_connect_string("rediss+sentinel://s/main")),
              "rediss+sentinel://s:26379/main");
    EXPECT_EQ(parse_connect_string("rediss://h")->tls.verify, tls::verification::full);
    EXPECT_THAT(parse_connect_string("rediss://h?verify=maybe").error().message(),
                HasSubstr("verify=maybe: must be full, ca or none"));
    EXPECT_THAT(parse_connect_string("rediss://h?cert_file=/a").error().message(),
                HasSubstr("a certificate needs its key"));
}

}  // namespace
}  // namespace turnstile::redis
