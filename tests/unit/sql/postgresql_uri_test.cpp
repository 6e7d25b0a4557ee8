// SPDX-License-Identifier: Apache-2.0
// Tests that the client passes on libpq's error messages without text that may belong to a password.
#include "sql/postgresql_uri.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnstile::sql {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(sql_postgresql_uri, what_libpq_knows_is_taken) {
    for (const auto* uri : {"postgresql://u:p@h:1/db", "postgresql:///db?host=/run/postgresql",
                            "postgres://a,b:2/db?sslmode=require&options=-csearch_path%3Da",
                            "postgresql://[::1]/db?target_session_attrs=read-write"})
        EXPECT_EQ(fault_of_postgresql(uri), "") << uri;
}

TEST(sql_postgresql_uri, an_unknown_parameter_is_named) {
    EXPECT_EQ(fault_of_postgresql("postgresql://h/db?port=1&foo=1"),
              "invalid URI query parameter: \"foo\"");
}

TEST(sql_postgresql_uri, a_port_is_a_number) {
    for (const auto* uri :
         {"postgresql://u:secret", "postgresql://h:0/db", "postgresql://h:65536/db",
          "postgresql://a:1,b:x/db", "postgresql://h/db?port=x"})
        EXPECT_THAT(fault_of_postgresql(uri), HasSubstr("bad port")) << uri;
    EXPECT_EQ(fault_of_postgresql("postgresql://a:1,b,c:65535/db"), "");
}

TEST(sql_postgresql_uri, no_piece_of_a_password_is_told) {
    for (const auto* uri : {"postgresql://u:%secret@h/db", "postgresql://u:x@h/db?password=%secret",
                            "postgresql://u:secret@[::1/db", "postgresql://u:secret@[::1]x/db",
                            "postgresql://h/db?password=secret=secret", "postgresql://u:x?secret"})
        EXPECT_THAT(fault_of_postgresql(uri), AllOf(Not(""), Not(HasSubstr("secret")))) << uri;
}

TEST(sql_postgresql_uri, no_control_character_is_told) {
    EXPECT_EQ(fault_of_postgresql("postgresql://[::1]\x0f/db").find('\x0f'), std::string::npos);
}

}  // namespace
}  // namespace turnstile::sql
