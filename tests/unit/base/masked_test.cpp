// SPDX-License-Identifier: Apache-2.0
#include "base/masked.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace turnstile::base {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(masked, leaves_a_string_without_a_password) {
    for (const std::string text :
         {"", "zk1:2181,zk2:2181/locks", "local:x", "sqlite:/var/a@b/locks.db", "redis://h:6379/0",
          "postgresql://db:5432/locks?application_name=a@b", "a@b"})
        EXPECT_EQ(masked(text), text);
}

TEST(masked, hides_the_password_before_the_host) {
    EXPECT_EQ(masked("postgresql://u:secret@h/db"), "postgresql://u:***@h/db");
    EXPECT_EQ(masked("postgres://u:a:b@h/db"), "postgres://u:***@h/db");
    EXPECT_EQ(masked("redis://:secret@h:6379/0"), "redis://:***@h:6379/0");
    EXPECT_EQ(masked("redis://secret@h"), "redis://***@h");
    EXPECT_EQ(masked("postgresql://app:secret@db/locks?application_name=a@b"),
              "postgresql://app:***@db/locks?application_name=a@b");
}

TEST(masked, hides_the_password_among_the_parameters) {
    EXPECT_EQ(masked("postgresql://h/db?password=secret&x=1"),
              "postgresql://h/db?password=***&x=1");
    EXPECT_EQ(masked("postgresql://db:5432/locks?user=app&password=secret"),
              "postgresql://db:5432/locks?user=app&password=***");
    EXPECT_EQ(masked("postgresql://h/db?sslpassword=secret&password=secret"),
              "postgresql://h/db?sslpassword=***&password=***");
}

TEST(masked, hides_the_passwords_of_servers_and_sentinels) {
    EXPECT_EQ(masked("redis+sentinel://u:secret@a,b/main?sentinel_password=secret&db=1"),
              "redis+sentinel://u:***@a,b/main?sentinel_password=***&db=1");
    for (const std::string text : {"redis+sentinel://a:1,b/main?sentinel_password=se@cret",
                                   "redis+sentinel://:se@cret@a/main?sentinel_password=s@cret&db=1",
                                   "redis+sentinel://:cret@sentinel_1/main"})
        EXPECT_THAT(masked(text), Not(HasSubstr("cret"))) << text;
}

TEST(masked, hides_a_password_that_should_have_been_escaped) {
    for (const std::string text : {"redis://:se?x=cret@h/0", "postgresql://u:se/cret@h/db",
                                   "postgresql://u:secret?x=cret@h/db",
                                   "postgresql://u:se?cret@h/db", "redis://:se/cret?x@h/0",
                                   "redis://u:a@secret@h/0", "postgresql://u:secret@cret@h/db?x=1"})
        EXPECT_THAT(masked(text), Not(HasSubstr("cret"))) << text;
}

TEST(masked, hides_the_password_of_a_string_that_lacks_something) {
    for (const std::string text :
         {"redis://u:secret", "redis://u:secret/0", "postgresql://u:se/cret?x=1",
          "redis:/u:secret@h", "redis:u:secret@h", "mysql:/u:secret@h/db", "u:secret@zk:2181",
          "redis:/secret@h", "redis://h/0?auth=secret", "mysql://h/db?PWD=secret&x=1",
          "mysql://h,u:secret/db", "reds:/u:secret", "u:secret:more@zk:2181", "u:secret@h://x@h"})
        EXPECT_THAT(masked(text), Not(HasSubstr("cret"))) << text;
}

TEST(masked, hides_the_password_behind_a_scheme_that_is_misspelt) {
    for (const std::string text :
         {"redis//u:cret@h", "postgresql//u:cret@h/d", "mysql//u:cret@h/d",
          "redis+sentinel//u:cret@h/m", "redis+sentinel:/u:cret@h/m", "redis//u:cret", "/u:cret@h",
          "//u:cret@h", "://u:cret@h", "redis/u:cret@h", "db.example//u:cret@h",
          "zk1:2181/u:cret@h", "zk1:2181,zk2:1/u:1cret@h", "zk1:2181/redis://u:cret@h",
          "[::1]:1/u:cret@h", "local:u:cret@h", "sqlite://u:cret@h/d"})
        EXPECT_THAT(masked(text), Not(HasSubstr("cret"))) << text;
    EXPECT_EQ(masked("zk1:2181/u:secret@h"), "zk1:2181/u:***@h");
    EXPECT_EQ(masked("redis//u:secret@h"), "redis//***@h");
    EXPECT_TRUE(has_password("redis//u:secret@h"));
    EXPECT_FALSE(has_password("zk1:2181/locks:a@b")) << "a chroot";
}

TEST(masked, hides_a_parameter_as_libpq_reads_it) {
    EXPECT_EQ(masked("postgresql://h/d?user=u&pass%77ord=secret"),
              "postgresql://h/d?user=u&pass%77ord=***");
    EXPECT_TRUE(has_password("postgresql://h/d?user=u&pass%77ord=secret"));
    EXPECT_EQ(masked("postgresql://h/d?password=a&cret&&cret&x=1"),
              "postgresql://h/d?password=***&x=1");
    EXPECT_EQ(masked("postgresql://h/d?x=1&password =secret&cret"),
              "postgresql://h/d?x=1&password =***");
}

// In these refused connect strings, a parser of URLs would read a part of the password as a host, a path or a
// parameter.
TEST(masked_refusal, shows_nothing_between_the_scheme_and_the_last_at) {
    const std::pair<std::string, std::string> table[] = {
        {"redis://u:12/cret@h", "redis://***@h"},
        {"redis://cret@h/0", "redis://***@h/0"},
        {"redis+sentinel://u:1,cret/cret@cret@h/m", "redis+sentinel://***@h/m"},
        {"postgresql://u:1/cret?cret=@h/d", "postgresql://***@h/d"},
        {"postgresql://u:1#cret&cret@h/d?password=cret&x=1",
         "postgresql://***@h/d?password=***&x=1"},
        {"postgresql://cret?password=cret@cret&x=1", "postgresql://***"},
        {"mysql://u:1,h:2/cret@h/d?x=1", "mysql://***@h/d?x=1"},
        {"zookeepers://u:12/cret@h", "zookeepers://***@h"},
        {"u:12/cret@h", "***@h"},
        {"sqlite:u:12/cret@h", "sqlite:***@h"},
        {"redis//u:cret@h", "redis//***@h"},
        {"redis://u:secret", "redis://u:***"},
        {"zk1:2181,zk2:218x/locks", "zk1:2181,zk2:218x/locks"},
    };
    for (const auto& [text, shown] : table) EXPECT_EQ(masked_refusal(text), shown) << text;
}

TEST(masked, leaves_the_ports_and_addresses_of_servers) {
    for (const std::string text :
         {"redis://[::1]:6379,[fe80::1]:1/x?tree=t", "redis+sentinel://a:1,b:2,c/main/x?db=1",
          "[::1]:2181", "[::1:2181", "::1:2181", "redis:2181,postgresql:2181/a@b",
          "mysql://[::1]/db", "redis:", "redis://", ":"})
        EXPECT_EQ(masked(text), text);
}

TEST(has_password, of_each_form) {
    for (const std::string text :
         {"redis://u:secret@h", "redis://:secret@h", "redis://u:secret", "postgresql://u:se/cret",
          "redis://h/0?auth=secret", "mysql://h/db?PWD=secret&x=1", "u:secret@zk:2181",
          "redis+sentinel://a:1/m?sentinel_password=secret", "rediss://u:@h?sslpassword=secret",
          "postgresql://h/d?passfile=/p&password=secret", "redis:0:secret,s2/main/a@b"})
        EXPECT_TRUE(has_password(text)) << text;
    for (const std::string text :
         {"zk1:2181,zk2:2181/shop", "redis://u@h", "postgresql://u@h/db?sslmode=require",
          "mysql://[::1]:3306/db", "sqlite:/a:b@c", "",
          "zookeeper://zk1/shop?sasl_user=u&sasl_password_file=/etc/p",
          "zookeepers://zk1?key_password_file=/etc/p", "postgresql://u@h/db?passfile=/etc/p"})
        EXPECT_FALSE(has_password(text)) << text;
}

TEST(without_password, leaves_the_user_and_the_host) {
    EXPECT_EQ(without_password("postgresql://u:secret@h/db"), "postgresql://u@h/db");
    EXPECT_EQ(without_password("postgresql://u@h:1/db"), "postgresql://u@h:1/db");
    EXPECT_EQ(without_password("postgresql://h:1/db"), "postgresql://h:1/db");
}

TEST(quoted_part, is_what_the_masked_string_shows) {
    EXPECT_EQ(quoted_part("redis://h?tree=a b", "a b"), "a b");
    EXPECT_EQ(quoted_part("redis://h?tree=\x1b", "\x1b"), "\\x1b");
    EXPECT_EQ(quoted_part("redis://u:1?secret@h", "secret@h"), "***");
    EXPECT_LE(
        quoted_part("redis://h?tree=" + std::string(1'000, 'a'), std::string(1'000, 'a')).size(),
        100);
}

TEST(chroot_fault, names_the_path_unless_it_may_be_of_a_password) {
    EXPECT_EQ(chroot_fault("zk:1/a", "/a"), "");
    EXPECT_THAT(chroot_fault("zk:1/a//b", "/a//b"), HasSubstr("path \"/a//b\""));
    EXPECT_EQ(chroot_fault("redis://u:1/secret//x@h", "/secret//x@h"),
              "has a chroot that breaks a rule of paths");
}

}  // namespace

}  // namespace turnstile::base
