// SPDX-License-Identifier: Apache-2.0
// Tests how a connect string names a MariaDB server.
#include "sql/mariadb_target.hpp"

#include <gmock/gmock.h>

namespace turnstile::sql {
namespace {

mariadb_target parsed(const char* text) {
    auto out = parse_mariadb_target(text);
    EXPECT_TRUE(out) << text << ": " << out.error().message();
    return out ? *out : mariadb_target{};
}

TEST(mariadb_target, all_of_it) {
    const auto target = parsed("mysql://us%40er:p%3Aw@db1,db2:3307,[::1]:3308/sh%20op");
    EXPECT_EQ(target.hosts,
              (std::vector<mariadb_host>{{"db1", 3306}, {"db2", 3307}, {"::1", 3308}}));
    EXPECT_EQ(target.user, "us@er");
    EXPECT_EQ(target.password, "p:w");
    EXPECT_EQ(target.database, "sh op");
    EXPECT_FALSE(target.encrypted());
}

TEST(mariadb_target, a_socket_takes_the_host_s_place) {
    const auto target = parsed("mysql://shop@localhost/shop?socket=/run/mysqld/mysqld.sock");
    EXPECT_TRUE(target.hosts.empty());
    EXPECT_EQ(target.parameter("socket"), "/run/mysqld/mysqld.sock");
    EXPECT_TRUE(parsed("mysql:///shop").hosts.empty());
    EXPECT_TRUE(parsed("mysql:///shop").user.empty());
}

// Any TLS parameter turns TLS on, always with verification of the server's certificate.
TEST(mariadb_target, encryption) {
    for (const auto* text :
         {"mysql://h/d?ssl=true", "mysql://h/d?tls_version=TLSv1.3", "mysql://h/d?ssl_ca=/c",
          "mysql://h/d?ssl_capath=/c", "mysql://h/d?ssl_fp=00",
          "mysql://h/d?ssl_verify_server_cert=true", "mysql://h/d?ssl_cert=/c&ssl_key=/k"})
        EXPECT_TRUE(parsed(text).encrypted()) << text;
    EXPECT_FALSE(parsed("mysql://h/d?ssl=false").encrypted());
    const auto refused = parse_mariadb_target("mysql://h/d?ssl=true&ssl_verify_server_cert=false");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(),
                ::testing::HasSubstr("name the server's certificate with ssl_ca or ssl_fp"));
}

TEST(mariadb_target, separates_servers_by_commas_alone) {
    for (const char* text : {"mysql://h1;h2/d", "mysql://h1:3306;h2:3306/d", "mysql://h1 h2/d"}) {
        const auto refused = parse_mariadb_target(text);
        ASSERT_FALSE(refused) << text;
        EXPECT_THAT(refused.error().message(), ::testing::HasSubstr("commas between servers"));
    }
}

}  // namespace
}  // namespace turnstile::sql
