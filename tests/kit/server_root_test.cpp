// SPDX-License-Identifier: Apache-2.0
// Tests servers of another version, whose folder an environment variable names.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/mariadb_server.hpp"
#include "turnstile/testing/postgres_server.hpp"
#include "turnstile/testing/redis_server.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace {

using namespace turnstile::testing;

// Sets an environment variable, and restores its earlier value at the end of the scope.
class scoped_variable {
public:
    scoped_variable(const char* name, const std::string& value) : name_{name} {
        if (const char* before = std::getenv(name)) before_ = before;
        ::setenv(name, value.c_str(), 1);
    }
    ~scoped_variable() { ::setenv(name_, before_.c_str(), 1); }
    scoped_variable(const scoped_variable&) = delete;
    scoped_variable& operator=(const scoped_variable&) = delete;

private:
    const char* name_;
    std::string before_;
};

std::string error_of(const std::function<void()>& start) {
    try {
        start();
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

void start_redis() {
    redis_server{}.start();
}

TEST(server_root_test, a_missing_folder_is_an_error_that_names_the_variable) {
    const scoped_variable redis{"TURNSTILE_TEST_REDIS", "/nonexistent"};
    EXPECT_EQ(error_of(start_redis), "TURNSTILE_TEST_REDIS=/nonexistent: there is no such folder");
}

TEST(server_root_test, a_folder_without_the_server_is_an_error) {
    const temporary_folder empty;
    const std::string path = empty.path();
    const scoped_variable zookeeper{"TURNSTILE_TEST_ZOOKEEPER", path};
    const scoped_variable redis{"TURNSTILE_TEST_REDIS", path};
    const scoped_variable postgresql{"TURNSTILE_TEST_POSTGRESQL", path};
    const scoped_variable mariadb{"TURNSTILE_TEST_MARIADB", path};
    EXPECT_EQ(error_of([] { ensemble servers; }),
              "TURNSTILE_TEST_ZOOKEEPER=" + path + ": usr/share/java/zookeeper.jar is not there");
    EXPECT_EQ(error_of(start_redis),
              "TURNSTILE_TEST_REDIS=" + path +
                  ": neither usr/bin/redis-server nor usr/bin/valkey-server is there");
    EXPECT_EQ(error_of([] { postgres_server server; }),
              "there is no PostgreSQL server in " + path +
                  "/usr/lib/postgresql (Debian's package postgresql has it)");
    EXPECT_EQ(error_of([] { mariadb_server server; }),
              "there is no mariadb-install-db in " + path +
                  " (Debian's package mariadb-server has MariaDB's programs)");
}

TEST(server_root_test, the_program_of_the_folder_runs) {
    const temporary_folder root;
    std::filesystem::create_directories(root.path() / "usr/bin");
    const auto program = root.path() / "usr/bin/valkey-server";
    std::ofstream{program} << "#!/bin/sh\nexec redis-server \"$@\" --maxclients 77\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const scoped_variable redis{"TURNSTILE_TEST_REDIS", root.path()};
    redis_server server;
    server.start();
    EXPECT_EQ(server.ask("CONFIG GET maxclients"), "maxclients 77");
}

}  // namespace
