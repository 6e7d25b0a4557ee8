// SPDX-License-Identifier: Apache-2.0
// Tests what only MariaDB servers do: tokens that grow over a restart, and how waiters wake up.
#include <gmock/gmock.h>

#include <atomic>
#include <sstream>
#include <thread>

#include "client/log_lines.hpp"
#include "mariadb_support.hpp"
#include "sql/mariadb_bell.hpp"

namespace turnstile::tests {

testing::mariadb_server& shared_server() {
    static testing::mariadb_server server;
    static const bool started = (server.start(), true);
    EXPECT_TRUE(started);
    return server;
}

std::string database() {
    return shared_server().connect_string();
}

std::string run_sql(const std::string& text) {
    return shared_server().run_sql(text);
}

void kill_server() {
    shared_server().kill();
}

void start_server() {
    shared_server().start();
}

void pause_server() {
    shared_server().pause();
}

void resume_server() {
    shared_server().resume();
}

void cut_connections() {
    auto& server = shared_server();
    std::istringstream ids{server.run_sql(
        "SELECT id FROM information_schema.processlist WHERE db = 'turnstile' AND id <> "
        "CONNECTION_ID()")};
    for (std::string id; ids >> id;) {
        try {
            server.run_sql("KILL " + id);
        } catch (const std::runtime_error&) {  // the connection has ended
        }
    }
}

namespace {

// The tokens come from a sequence, whose numbers the server reserves a thousand at a time. A killed server continues
// above the reserved numbers.
TEST(mariadb_crash, tokens_grow_over_a_killed_server) {
    const auto path = lock_path();
    const auto servers = connect_to_database(60s);
    mutex lock{*servers, path};
    fencing_token last;
    for (int i = 0; i != 3; ++i) {
        auto hold = lock.acquire({.timeout = limit()});
        ASSERT_TRUE(hold) << hold.error().message();
        EXPECT_GT(hold->fencing_token(), last);
        last = hold->fencing_token();
        ASSERT_TRUE(hold->release(limit()));
        shared_server().kill();
        shared_server().start();
    }
}

// With sessions of sixty seconds, waiters poll every twenty seconds. By polling alone, a hundred hand-overs would take
// half an hour.
TEST(mariadb_bells, wake_each_waiter) {
    constexpr int k_turns = 100;
    const auto path = lock_path();
    std::atomic<int> turns{0};
    const auto work = [&] {
        const auto servers = connect_to_database(60s);
        mutex lock{*servers, path};
        for (int i = 0; i != k_turns; ++i) {
            auto hold = lock.acquire({.timeout = limit()});
            if (!hold) {
                ADD_FAILURE() << hold.error().message();
                return;
            }
            ++turns;
            static_cast<void>(hold->release(limit()));
        }
    };
    std::thread client_a{work};
    std::thread client_b{work};
    client_a.join();
    client_b.join();
    EXPECT_EQ(turns.load(), 2 * k_turns);
}

// This server ignores the case of database names. A wake-up for the database "turnstile" must also reach a waiter whose
// connect string names "TurnStile".
TEST(mariadb_bells, are_those_of_a_database_in_other_letters) {
    testing::mariadb_server folding{{{"--lower-case-table-names=1"}}};
    folding.start();
    const auto where = folding.connect_string();
    const auto me =
        connect(where.substr(0, where.rfind('/')) + "/TurnStile", database_options(60s));
    const auto session = std::stoll(folding.run_sql("SELECT id FROM turnstile_sessions"));
    const auto bell = sql::mariadb_bell::ring("turnstile", session);
    EXPECT_NE(folding.run_sql("SELECT " + bell.substr(bell.find("IS_USED_LOCK"))), "NULL\n");
}

// A sleeping session must have no open snapshot, which would keep the server from purging old rows.
TEST(mariadb_bells, sleep_in_no_transaction) {
    if (is_mysql())
        GTEST_SKIP() << "on MySQL the sleep of five seconds is a part of the statement that reads "
                        "the events, so the snapshot lasts as long";
    const auto path = lock_path();
    const auto servers = connect_to_database(60s);
    mutex lock{*servers, path};
    const auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(eventually([] {
        return shared_server().run_sql(
                   "SELECT COUNT(*) > 0 AND COUNT(trx_id) = 0 FROM information_schema.processlist "
                   "p "
                   "LEFT JOIN information_schema.innodb_trx t ON t.trx_mysql_thread_id = p.id "
                   "WHERE p.state = 'User lock'") == "1\n";
    }));
}

TEST(mariadb_bells, end_with_their_client) {
    const auto mine = connect_to_database(60s);
    ASSERT_TRUE(mine->wait_connected(limit()));
    mine->close();
    EXPECT_TRUE(eventually([] {
        return shared_server().run_sql(
                   "SELECT COUNT(*) FROM information_schema.processlist WHERE db = 'turnstile' AND "
                   "id <> CONNECTION_ID()") == "0\n";
    }));
}

TEST(mariadb_promises, are_those_of_one_server) {
    const client servers{database(),
                         {.require = {.exclusion = exclusion_promise::leased,
                                      .order = order_promise::arrival,
                                      .waiting = waiting_promise::notified,
                                      .token = token_promise::grows_across_lost_data,
                                      .writes = write_promise::guarded,
                                      .crash = crash_promise::session_timeout,
                                      .scope = scope_promise::server}}};
    EXPECT_THROW((client{database(), {.require = {.crash = crash_promise::at_once}}}),
                 std::system_error);
}

// innodb_flush_log_at_trx_commit applies to the whole server. No session can override it.
TEST(mariadb_promises, follow_what_the_server_says) {
    const auto servers = connect_to_database();
    EXPECT_EQ(servers->promises().exclusion, exclusion_promise::leased);
    shared_server().run_sql("SET GLOBAL innodb_flush_log_at_trx_commit = 2");
    EXPECT_EQ(servers->promises().exclusion, exclusion_promise::best_effort);
    EXPECT_THROW((client{database(), {.require = {.exclusion = exclusion_promise::leased}}}),
                 std::system_error);
    shared_server().run_sql("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
    EXPECT_EQ(servers->promises().loss, loss_promise::told);
}

TEST(mariadb_promises, that_are_required_are_judged_at_each_attach) {
    auto options = database_options();
    options.require.exclusion = exclusion_promise::leased;
    const auto servers = connect(database(), options);
    shared_server().run_sql("SET GLOBAL innodb_flush_log_at_trx_commit = 2");
    const log_lines log;
    cut_connections();
    EXPECT_TRUE(eventually([&] { return log.with("leased is required") == 1; }));
    EXPECT_EQ(servers->state(), session_state::suspended);
    shared_server().run_sql("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
    EXPECT_TRUE(servers->wait_connected(limit()));
}

}  // namespace
}  // namespace turnstile::tests
