// SPDX-License-Identifier: Apache-2.0
// Tests a connect string in the environment, and a missing connect string.
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "support.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

class environment_test : public shell_test {
protected:
    void SetUp() override { TearDown(); }
    void TearDown() override {
        ::unsetenv("TURNSTILE_SERVERS");
        ::unsetenv("TURNSTILE_SERVERS_FILE");
    }
    static std::string refusal() {
        try {
            const auto servers = client::from_environment();
        } catch (const std::system_error& refused) {
            EXPECT_EQ(refused.code(), errc::bad_connect_string);
            return refused.what();
        }
        return {};
    }
    static void set_mode(const std::string& file, mode_t mode) {
        ASSERT_EQ(::chmod(file.c_str(), mode), 0);
    }

    const testing::temporary_folder folder;
    const std::string file = (folder.path() / "servers").string();
};

TEST_F(environment_test, names_the_servers) {
    ::setenv("TURNSTILE_SERVERS", where.c_str(), 1);
    auto servers = client::from_environment({.label = "of the environment"});
    EXPECT_TRUE(mutex(servers, "/lock").acquire(limit()).has_value());
    EXPECT_TRUE(connect()->session().id != 0) << "the tree is there";
}

TEST_F(environment_test, names_a_file_that_its_owner_alone_may_open) {
    std::ofstream{file} << where << "\n# a comment\n";
    set_mode(file, 0600);
    ::setenv("TURNSTILE_SERVERS", "", 1);
    ::setenv("TURNSTILE_SERVERS_FILE", file.c_str(), 1);
    auto servers = client::from_environment();
    EXPECT_TRUE(mutex(servers, "/lock").acquire(limit()).has_value());

    set_mode(file, 0644);
    EXPECT_NE(refusal().find("other users can open it"), std::string::npos);
    set_mode(file, 0600);
    std::ofstream{file} << "\n";
    EXPECT_NE(refusal().find("has no connect string"), std::string::npos);
}

TEST_F(environment_test, without_servers_is_refused_with_what_to_set) {
    EXPECT_NE(refusal().find("set TURNSTILE_SERVERS"), std::string::npos);
}

TEST_F(environment_test, a_null_connect_string_is_refused) {
    try {
        const client servers{std::getenv("TURNSTILE_SERVERS")};
        FAIL() << "it was taken";
    } catch (const std::system_error& refused) {
        EXPECT_EQ(refused.code(), errc::bad_connect_string);
        EXPECT_NE(std::string{refused.what()}.find(
                      "null pointer, as std::getenv() returns for a variable that is not set"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace turnstile::tests
