// SPDX-License-Identifier: Apache-2.0
// Tests standbys of PostgreSQL. The library refuses a standby until it is promoted, because a standby accepts no
// writes. A promoted standby may lack the last commits of the dead server.
#include <gmock/gmock.h>

#include <fstream>

#include "sql_backend.hpp"
#include "turnstile/testing/postgres_server.hpp"
#include "turnstile/transaction.hpp"

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

// Two servers. The standby replicates the primary.
class postgresql_failover : public ::testing::Test {
protected:
    postgresql_failover() { standby.start(); }

    [[nodiscard]] std::string both() const {
        return "postgresql://postgres@127.0.0.1:" + std::to_string(primary.server.port()) +
               ",127.0.0.1:" + std::to_string(standby.port()) +
               "/postgres?target_session_attrs=read-write";
    }
    void catch_up() {
        const auto written = primary.server.run_sql("SELECT pg_current_wal_lsn()");
        const auto has_it =
            "SELECT pg_last_wal_replay_lsn() >= '" + written.substr(0, written.find('\n')) + "'";
        ASSERT_TRUE(eventually([&] { return standby.run_sql(has_it) == "t\n"; }));
    }
    void fail_over() {
        primary.server.kill();
        standby.start();
        EXPECT_EQ(standby.run_sql("SELECT pg_promote()"), "t\n");
    }

    struct started {
        started() { server.start(); }
        testing::postgres_server server;
    } primary;
    testing::postgres_server standby{{.standby_of = &primary.server}};
};

TEST_F(postgresql_failover, a_hold_that_the_standby_has_goes_on) {
    client servers{both(), database_options(60s)};
    mutex lock{servers, "/orders"};
    auto hold = lock.acquire({.timeout = limit()}).value();
    catch_up();
    fail_over();
    const auto written = hold.commit(transaction{}.put("/after", "1"), {.timeout = limit()});
    ASSERT_TRUE(written) << written.error().message();
    EXPECT_EQ(servers.session().epoch, 1U);
    EXPECT_TRUE(hold.valid());
    client others{both(), database_options()};
    mutex same{others, "/orders"};
    EXPECT_EQ(same.try_acquire().error(), errc::busy);
}

// The standby lags behind: it has the session, but not the grant.
TEST_F(postgresql_failover, a_grant_that_the_standby_lacks_is_lost_and_tokens_grow) {
    client servers{both(), database_options(60s)};
    mutex lock{servers, "/orders"};
    lock.acquire({.timeout = limit()}).value().release().value();
    catch_up();
    standby.stop();
    const auto hold = lock.acquire({.timeout = limit()}).value();
    fail_over();
    EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
    EXPECT_FALSE(hold.valid());
    client others{both(), database_options()};
    mutex same{others, "/orders"};
    const auto next = same.acquire({.timeout = limit()});
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_GT(next->fencing_token(), hold.fencing_token());
}

}  // namespace
}  // namespace turnstile::tests
