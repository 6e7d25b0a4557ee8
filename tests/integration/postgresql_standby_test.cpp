// SPDX-License-Identifier: Apache-2.0
// A standby of PostgreSQL takes no writes: it is refused, until it is promoted.
#include <gmock/gmock.h>

#include <fstream>

#include "sql_backend.hpp"
#include "turnstile/testing/postgres_server.hpp"

namespace turnstile::tests {
namespace {

TEST(postgresql_standby, is_refused_and_serves_once_it_is_promoted) {
    testing::postgres_server server;
    server.start();
    server.stop();
    std::ofstream{server.folder() / "data" / "standby.signal"};
    server.start();
    ASSERT_EQ(server.run_sql("SELECT pg_is_in_recovery()"), "t\n");
    EXPECT_THAT(diagnosis_of(server.connect_string()),
                ::testing::HasSubstr("is a standby, which takes no writes"));
    client servers{server.connect_string(), database_options()};
    mutex lock{servers, "/orders"};
    testing::event granted;
    lock.async_acquire({}, [&](result<guard> hold) {
        EXPECT_TRUE(hold);
        granted.set();
    });
    EXPECT_TRUE(eventually([&] {
        const auto why = servers.wait_connected(10ms).error();
        return why == errc::not_connected &&
               why.message().find("is a standby") != std::string::npos;
    }));
    EXPECT_EQ(server.run_sql("SELECT pg_promote()"), "t\n");
    EXPECT_TRUE(granted.wait());
}

}  // namespace
}  // namespace turnstile::tests
