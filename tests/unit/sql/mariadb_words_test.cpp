// SPDX-License-Identifier: Apache-2.0
// Tests how the client treats MariaDB's errors, which servers it accepts, and how it quotes values in statements.
#include "sql/mariadb_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace turnstile::sql {
namespace {

using ::testing::HasSubstr;

TEST(mariadb_words, what_follows_from_an_error) {
    const auto kind = [](unsigned number) { return kind_of({number, "text"}); };
    for (const unsigned number : {1213U, 1020U, 1062U, 1242U, 1317U})
        EXPECT_EQ(kind(number), failure::retry);
    for (const unsigned number : {1205U, 3572U}) EXPECT_EQ(kind(number), failure::row_held);
    for (const unsigned number : {1045U, 1698U}) EXPECT_EQ(kind(number), failure::refused);
    for (const unsigned number :
         {1040U, 1053U, 1180U, 1203U, 1226U, 1927U, 4031U, 2002U, 2006U, 2013U})
        EXPECT_EQ(kind(number), failure::lost) << number;
    for (const unsigned number : {1044U, 1049U, 1054U, 1114U, 1130U, 1142U, 1146U, 1153U, 1290U})
        EXPECT_EQ(kind(number), failure::fatal) << number;
}

TEST(mariadb_words, what_helps_is_said) {
    EXPECT_THAT(sentence({5010, "Authentication plugin 'x' couldn't be found"}), HasSubstr("TLS"));
    EXPECT_EQ(sentence({1142, "denied\nmore"}),
              "denied: this user lacks a right (docs/how-to/mariadb.md)");
    EXPECT_EQ(sentence({1290, "read-only"}), "read-only: the server takes no writes any more");
    EXPECT_THAT(sentence({1290, "running with the NO_ENGINE_SUBSTITUTION option"}),
                HasSubstr("enforce_storage_engine"));
    EXPECT_EQ(sentence({1114, "full"}), "full: is its disk full?");
    EXPECT_EQ(sentence({1153, "large"}), "large: raise max_allowed_packet");
    EXPECT_EQ(sentence({1213, "Deadlock"}), "Deadlock");
}

mariadb_facts good() {
    mariadb_facts facts;
    facts.version = "10.11.4-MariaDB";
    facts.version_number = 101104;
    facts.mariadb = true;
    facts.longest_statement = 16 << 20;
    facts.page_size = 16384;
    return facts;
}

TEST(mariadb_words, servers_that_are_not_fit) {
    EXPECT_EQ(unfit(good()), "");
    const auto why = [](auto change) {
        mariadb_facts facts = good();
        change(facts);
        return unfit(facts);
    };
    EXPECT_THAT(why([](auto& f) {
                    f.mariadb = false;
                    f.version = "8.0.11-TiDB-v8.5.1";
                }),
                HasSubstr("says that it is '8.0.11-TiDB-v8.5.1'"));
    EXPECT_THAT(why([](auto& f) {
                    f.mariadb = false;
                    f.version_number = 50744;
                }),
                HasSubstr("8.0.11 or later"));
    EXPECT_THAT(why([](auto& f) { f.several_primaries = true; }), HasSubstr("several primaries"));
    EXPECT_THAT(why([](auto& f) { f.version_number = 100599; }), HasSubstr("10.6 or later"));
    const auto kind_at = [](std::int64_t version, bool mariadb) {
        mariadb_facts facts = good();
        facts.version_number = version;
        facts.mariadb = mariadb;
        return kind_of_unfit(facts);
    };
    EXPECT_EQ(kind_at(100599, true), failure::too_old);
    EXPECT_EQ(kind_at(50744, false), failure::too_old);
    EXPECT_EQ(kind_at(90704, false), failure::fatal) << "MySQL 9.7 is no older MariaDB";
    EXPECT_EQ(kind_at(100600, true), failure::fatal);
    EXPECT_THAT(why([](auto& f) { f.galera = true; }), HasSubstr("Galera"));
    EXPECT_THAT(why([](auto& f) { f.read_only = true; }), HasSubstr("takes no writes"));
    EXPECT_THAT(why([](auto& f) { f.statement_binlog = true; }), HasSubstr("MIXED or ROW"));
    EXPECT_THAT(why([](auto& f) { f.longest_statement = 1 << 20; }), HasSubstr("1048576"));
    EXPECT_THAT(why([](auto& f) { f.page_size = 8192; }), HasSubstr("pages of 8192"));
}

TEST(mariadb_words, servers_that_keep_each_commit) {
    EXPECT_TRUE(keeps_commits({"1", "O_DIRECT"}));
    EXPECT_TRUE(keeps_commits({"3", "fsync"}));
    EXPECT_TRUE(keeps_commits({"1", "O_DSYNC"}));
    EXPECT_TRUE(keeps_commits({"1", ""})) << "a server that has no such setting";
    EXPECT_TRUE(keeps_commits({"1", "O_DIRECT", true, "1"}));
    EXPECT_FALSE(keeps_commits({"1", "O_DIRECT", true, "0"}));
    for (const auto* const commit : {"0", "2"})
        EXPECT_FALSE(keeps_commits({commit, "O_DIRECT"})) << commit;
    for (const auto* const method : {"nosync", "littlesync", "O_DIRECT_NO_FSYNC"})
        EXPECT_FALSE(keeps_commits({"1", method})) << method;
}

TEST(mariadb_text, values_stand_in_statements) {
    const std::array<value, 3> values{std::int64_t{-7}, std::string{"a'\\"}, bytes{{'\0', '\xff'}}};
    EXPECT_EQ(mariadb_statement("SELECT ?1, ?2, ?3, ?1", values),
              "SELECT -7, x'61275c', x'00ff', -7");
    const std::array<value, 1> list{std::string{"x'61',x'62'"}};
    EXPECT_EQ(mariadb_statement("a IN (?*1)", list), "a IN (x'61',x'62')");
    EXPECT_EQ(mariadb_literal(""), "x''");
}

}  // namespace
}  // namespace turnstile::sql
