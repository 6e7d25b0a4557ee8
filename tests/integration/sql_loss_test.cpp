// SPDX-License-Identifier: Apache-2.0
// Tests that sessions on a database server survive broken connections, restarts and pauses of the server, and end with
// their process.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <thread>

#include "base/latest_failure.hpp"
#include "sql/connect_string.hpp"
#include "sql/dialects.hpp"
#include "sql/patience.hpp"
#include "sql_server.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

TEST(sql_loss, a_hold_outlives_a_restart_of_the_server) {
    const auto path = lock_path();
    const auto servers = connect_to_database(60s);
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    kill_server();
    start_server();
    const auto written =
        hold->commit(transaction{}.create(path + ".after", ""), {.timeout = limit()});
    ASSERT_TRUE(written) << written.error().message();
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->release());
}

// A process is stopped during a transaction that has locked paths, for which other clients wait.
TEST(sql_loss, a_transaction_that_stands_still_is_ended_by_the_server) {
    const auto where = sql::parse_connect_string(database()).value();
    const std::array paths{lock_path()};
    const auto connected = [&](std::chrono::seconds timeout) {
        core::session_settings settings;
        settings.timeout = timeout;
        auto db = sql::make_database(where, settings,
                                     {std::make_shared<sql::closing_signal>(),
                                      std::make_shared<base::latest_failure>(), nullptr});
        db->connect();
        return db;
    };
    const auto take_path = [&](sql::database& db) {
        db.begin(sql::access::write);
        db.lock(paths, sql::lock_mode::exclusive);
        db.run("SELECT 1");
    };
    const auto stopped = connected(3s);
    const auto other = connected(60s);
    take_path(*stopped);
    take_path(*other);
    other->commit({});
    EXPECT_THROW(stopped->commit({}), sql::database_error);
}

// Lets a client wait for a lock while `disturb` runs. The waiter must get the lock when the holder releases it.
void expect_a_grant_after(const std::function<void()>& disturb) {
    const auto path = lock_path();
    const auto client_a = connect_to_database(60s);
    const auto client_b = connect_to_database(60s);
    mutex mine{*client_a, path};
    mutex other{*client_b, path};
    auto hold = mine.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    testing::event granted;
    other.async_acquire({}, [&](result<guard> next) {
        EXPECT_TRUE(next);
        granted.set();
    });
    ASSERT_TRUE(becomes_size(*client_a, path, 2));
    disturb();
    ASSERT_TRUE(hold->release(limit()));
    EXPECT_TRUE(granted.wait());
}

// A restarted MariaDB server numbers its connections from the start. So the library must find a session's sleeping
// connection by name.
TEST(sql_loss, a_waiter_outlives_a_restart_of_the_server) {
    expect_a_grant_after([] {
        kill_server();
        start_server();
    });
}

// The test cuts all connections, also the connections on which sessions wait for a wake-up. These sessions must attach
// again, and must get wake-ups again.
TEST(sql_loss, a_waiter_outlives_a_cut_of_all_connections) {
    expect_a_grant_after(cut_connections);
}

TEST(sql_loss, a_server_that_stands_still_is_waited_for) {
    const auto path = lock_path();
    const auto servers = connect_to_database(60s);
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    pause_server();
    EXPECT_FALSE(hold->commit(transaction{}.create(path + ".late", ""), {.timeout = 50ms}));
    resume_server();
    EXPECT_TRUE(hold->commit(transaction{}.create(path + ".then", ""), {.timeout = limit()}));
}

// A client that closes does not wait for the stopped server. Afterwards its session must block no lock.
TEST(sql_loss, a_client_closes_while_the_server_stands_still) {
    const auto path = lock_path();
    const auto servers = connect_to_database(60s);
    {
        const auto gone = connect_to_database(60s);
        pause_server();
        gone->close();
        resume_server();
    }
    mutex lock{*servers, path};
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
}

// The test cuts all connections repeatedly, at any step of a transaction and during waits for a wake-up. It counts the
// holders.
TEST(sql_loss, cut_connections_grant_nothing_twice) {
    constexpr int k_grants = 40;
    constexpr int k_cuts = 20;
    const auto path = lock_path();
    std::atomic<int> inside{0};
    std::atomic<int> violations{0};
    const auto work = [&] {
        const auto servers = connect_to_database(60s);
        mutex lock{*servers, path};
        fencing_token last;
        for (int i = 0; i != k_grants; ++i) {
            auto hold = lock.acquire({.timeout = limit()});
            if (!hold) {
                ADD_FAILURE() << hold.error().message();
                return;
            }
            if (++inside != 1 || hold->fencing_token() <= last) ++violations;
            last = hold->fencing_token();
            --inside;
            static_cast<void>(hold->release(limit()));
        }
    };
    std::thread client_a{work};
    std::thread client_b{work};
    for (int i = 0; i != k_cuts; ++i) cut_connections();
    client_a.join();
    client_b.join();
    EXPECT_EQ(violations.load(), 0);
}

// A killed process sends no message. Its session expires at its deadline, which the waiter finds by polling.
TEST(sql_crash, a_killed_holder_s_lock_is_free_when_its_session_has_ended) {
    const auto path = lock_path();
    const testing::temporary_folder folder;
    testing::process holder{testing::process_options{
        {TURNSTILE_CONTENDER, database(), path, "2000", "hold", folder.path().string()},
        {},
        folder.path() / "held",
        {}}};
    ASSERT_TRUE(holder.wait_for_output("grant ")) << holder.output();
    const auto servers = connect_to_database(60s);
    mutex lock{*servers, path};
    EXPECT_EQ(lock.try_acquire().error(), errc::busy);
    holder.kill();
    const auto hold = lock.acquire({.timeout = limit()});
    EXPECT_TRUE(hold) << hold.error().message();
}

}  // namespace
}  // namespace turnstile::tests
