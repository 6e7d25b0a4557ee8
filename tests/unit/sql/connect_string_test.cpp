// SPDX-License-Identifier: Apache-2.0
// Tests the connect strings of databases: their parts, the refusals, and that no message shows a password.
#include "sql/connect_string.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/resource_name.hpp"
#include "sql/mariadb_target.hpp"

namespace turnstile::sql {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(sql_connect_string, of_a_file) {
    const auto parsed = parse_connect_string("sqlite:/data/locks.db?chroot=/shop");
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(*parsed, (database_address{kind::sqlite, "/data/locks.db", "/shop"}));
    EXPECT_EQ(to_string(*parsed), "sqlite:/data/locks.db?chroot=/shop");
    EXPECT_EQ(parse_connect_string("sqlite:/data/locks.db?chroot=/")->chroot, "");
}

TEST(sql_connect_string, of_a_server_leaves_libpq_its_parameters) {
    const auto parsed =
        parse_connect_string("postgresql://u@h:1/db?sslmode=require&chroot=/a&port=2");
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(*parsed, (database_address{kind::postgresql,
                                         "postgresql://u@h:1/db?sslmode=require&port=2", "/a"}));
    EXPECT_EQ(to_string(*parsed), "postgresql://u@h:1/db?chroot=/a");
}

TEST(sql_connect_string, blanks_beside_commas_and_zones_as_in_urls) {
    for (const std::string scheme : {"mysql://", "postgresql://"}) {
        const auto parsed = parse_connect_string(scheme + "u:a, b@h:1, i ,j/db");
        ASSERT_TRUE(parsed) << parsed.error().message();
        EXPECT_EQ(parsed->target, scheme + "u:a, b@h:1,i,j/db");
    }
    const auto zone = parse_connect_string("mysql://[fe80::1%25eth0]/db");
    ASSERT_TRUE(zone) << zone.error().message();
    EXPECT_EQ(parse_mariadb_target(zone->target)->hosts.front().name, "fe80::1%eth0");
}

// Two clients with different encodings would send different bytes for one path, and so use different locks.
TEST(sql_connect_string, the_encoding_is_utf8) {
    EXPECT_TRUE(parse_connect_string("postgresql://h/db?client_encoding=utf8"));
    const auto refused = parse_connect_string("postgresql://h/db?client_encoding=WIN1252");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("client_encoding must be UTF8"));
}

TEST(sql_connect_string, one_chroot) {
    for (const auto* text : {"sqlite:/a?chroot=/b&chroot=/c", "mysql://h/db?chroot=/b&chroot=/c"}) {
        const auto refused = parse_connect_string(text);
        ASSERT_FALSE(refused) << text;
        EXPECT_THAT(refused.error().message(), HasSubstr("has chroot twice"));
    }
}

TEST(sql_connect_string, passwords_are_masked) {
    EXPECT_EQ(to_string(*parse_connect_string("postgresql://u:secret@h/db?password=other")),
              "postgresql://u@h/db");
    for (const auto* text :
         {"postgresql://u:se?cret@h/db", "postgresql://u:secret?x=1@h/db?port=1"})
        EXPECT_EQ(to_string(*parse_connect_string(text)), "postgresql://u@h/db") << text;
    EXPECT_EQ(to_string(*parse_connect_string("postgresql://u:secret@h?user=a@g:1")),
              "postgresql://u@h");
    const auto refused = parse_connect_string("postgresql://u:secret@h/db?chroot=nowhere");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), AllOf(HasSubstr("chroot"), Not(HasSubstr("secret"))));
    for (const auto* text : {"mysql://u:secret@h/db?wrong=1", "mysql://u:sec?secret@h/db",
                             "mysql://u:1/db?secret@h", "mysql://u:%secret@h/db"}) {
        const auto wrong = parse_connect_string(text);
        ASSERT_FALSE(wrong) << text;
        EXPECT_THAT(wrong.error().message(), Not(HasSubstr("secret"))) << text;
    }
}

TEST(sql_connect_string, a_question_mark_in_a_user_begins_no_parameters) {
    const auto read = parse_connect_string("postgresql://u?x@h/db?application_name=a&chroot=/shop");
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->chroot, "/shop");
    const auto alone = parse_connect_string("postgresql://u?x@h/db?chroot=/shop");
    ASSERT_TRUE(alone) << alone.error().message();
    EXPECT_EQ(to_string(*alone), "postgresql://u?x@h/db?chroot=/shop");
}

// libpq reads an address that begins with '[' up to the next ']', even if that ']' comes after the list of hosts.
TEST(sql_connect_string, an_address_whose_bracket_stays_open_is_refused) {
    for (const auto* text : {"postgresql://[::1/db?x=]", "postgres://u:p@h,[::1?chroot=/a]",
                             "postgresql://[::1,h]/db"}) {
        const auto wrong = parse_connect_string(text);
        ASSERT_FALSE(wrong) << text;
        EXPECT_THAT(wrong.error().message(), HasSubstr("'[' without ']'")) << text;
    }
    for (const auto* text :
         {"postgresql://[::1]/db", "postgresql://u:p[@h, [::1]:5432/db?application_name=["})
        EXPECT_TRUE(parse_connect_string(text)) << text;
}

// libpq's message would quote a part of the password as a host or a database.
TEST(sql_connect_string, an_unescaped_at_in_a_password_is_refused) {
    for (const auto* text : {"postgresql://u:P@secret@h:1/db", "postgresql://u:P@s/secret@h/db",
                             "postgresql://u:1/secret@h/db", "postgres://u:P?x=1@secret@h",
                             "postgresql://u:P@secret@"}) {
        const auto wrong = parse_connect_string(text);
        ASSERT_FALSE(wrong) << text;
        EXPECT_THAT(wrong.error().message(), AllOf(HasSubstr("%40"), Not(HasSubstr("secret"))))
            << text;
    }
    for (const auto* text :
         {"postgresql://u:P%40x@h/db", "postgresql://h/a%40b?application_name=a@b&chroot=/a@b"})
        EXPECT_TRUE(parse_connect_string(text)) << text;
}

TEST(sql_connect_string, a_refusal_has_no_control_characters) {
    const auto refused = parse_connect_string("sqlite:\x1b[2J\n");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("sqlite:\\x1b[2J\\x0a"));
}

TEST(sql_connect_string, rules) {
    for (const auto* text : {"sqlite:",
                             "sqlite:file.db",
                             "sqlite:/folder/",
                             "sqlite:/f?mode=ro",
                             "sqlite:/f?chroot=a",
                             "sqlite:/f?chroot=/a/",
                             "postgresql://h/a?client_encoding=LATIN1",
                             "mysql://h",
                             "mysql://h/",
                             "mysql://h/a/b",
                             "mysql://h:0/a",
                             "mysql://h:x/a",
                             "mysql://::1/a",
                             "mysql://[::1/a",
                             "mysql://u%zz@h/a",
                             "mysql://h/a?port=1",
                             "mysql://h/a?ssl=1",
                             "mysql://h/a?ssl_ca=",
                             "mysql://h/a?ssl=true&ssl=true",
                             "mysql://h,g/a?socket=/s"})
        EXPECT_EQ(parse_connect_string(text).error(), errc::bad_connect_string) << text;
}

TEST(sql_connect_string, of_mariadb_has_one_form) {
    const auto parsed = parse_connect_string("mariadb://u:p@h:1/db?ssl=true&chroot=/a");
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(*parsed, (database_address{kind::mariadb, "mysql://u:p@h:1/db?ssl=true", "/a"}));
    EXPECT_EQ(to_string(*parsed), "mysql://u@h:1/db?chroot=/a");
}

// A lock's name must be the same for clients with different chroots.
TEST(sql_connect_string, the_chroot_belongs_to_the_path) {
    const auto below = base::make_resource_name("sqlite:/data/locks.db?chroot=/shop", "/orders");
    EXPECT_EQ(below, base::make_resource_name("sqlite:/data/locks.db", "/shop/orders"));
    EXPECT_EQ(below.to_string(), "sqlite:/data/locks.db/shop/orders");
    EXPECT_EQ(base::make_resource_name("postgresql://u@h/db?chroot=/shop", "/orders"),
              base::make_resource_name("postgresql://u@h/db", "/shop/orders"));
}

}  // namespace
}  // namespace turnstile::sql
