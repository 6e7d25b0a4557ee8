// SPDX-License-Identifier: Apache-2.0
// Tests what only PostgreSQL servers do. Also tests which servers and users the library refuses, and with which
// message.
#include <gmock/gmock.h>
#include <libpq-fe.h>
#include <sys/shm.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

#include "client/log_lines.hpp"
#include "session_recorder.hpp"
#include "sql/coordinator.hpp"
#include "sql/patience.hpp"
#include "sql/postgresql_database.hpp"
#include "sql/stripes.hpp"
#include "sql_server.hpp"
#include "turnstile/sql.hpp"
#include "turnstile/testing/postgres_server.hpp"
#include "turnstile/testing/tcp_proxy.hpp"

namespace turnstile::tests {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

testing::postgres_server& shared_server() {
    static testing::postgres_server server{
        {.access = "host all secretive 127.0.0.1/32 scram-sha-256"}};
    static const bool started = (server.start(), true);
    EXPECT_TRUE(started);
    return server;
}

}  // namespace

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
    shared_server().run_sql(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        "WHERE application_name = 'turnstile'");
}

namespace {

class postgresql_user final : public user_connection {
public:
    postgresql_user() : connection_{::PQconnectdb(database().c_str())} {
        EXPECT_EQ(::PQstatus(connection_), CONNECTION_OK);
    }
    ~postgresql_user() override { ::PQfinish(connection_); }
    void run(const std::string& text) override { ::PQclear(::PQexec(connection_, text.c_str())); }
    [[nodiscard]] result<void> check(const guard& hold) override {
        return sql::check(hold, connection_);
    }

private:
    PGconn* const connection_;
};

}  // namespace

std::unique_ptr<user_connection> connect_user() {
    return std::make_unique<postgresql_user>();
}

namespace {

// The time limit applies to close() as a whole, and not to each of its transactions.
TEST(postgresql_loss, an_end_that_has_begun_waits_no_longer_for_a_server_that_stands_still) {
    const auto closing = std::make_shared<sql::closing_signal>();
    sql::postgresql_database db{{database(), "here", k_for_ever, closing}};
    sql::postgresql_database without_session{{database(), "here", k_for_ever, closing}};
    closing->begun = true;
    closing->closing.set();
    EXPECT_THROW(without_session.connect(), sql::database_error);
    closing->has_session = true;
    db.connect();
    db.begin(sql::access::read);
    shared_server().pause();
    auto asked = std::async(std::launch::async, [&] { db.run("SELECT 1"); });
    EXPECT_EQ(asked.wait_for(limit()), std::future_status::ready);
    shared_server().resume();
    EXPECT_THROW(asked.get(), sql::database_error);
}

// The first host does not answer at all.
TEST(postgresql_loss, a_host_that_does_not_answer_is_not_tried_first_for_ever) {
    const auto address = "127.0.0.1:" + std::to_string(shared_server().port());
    testing::tcp_proxy silent{address, testing::traffic::bytes};
    silent.black_hole();
    const auto servers =
        connect("postgresql://postgres@" + silent.address() + "," + address + "/postgres",
                database_options(2s));
    mutex lock{*servers, lock_path()};
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
}

// The client gives the watch up while it has no connection. The database must not keep that watch when the session
// attaches again.
TEST(postgresql_loss, a_watch_that_is_given_back_without_a_connection_is_gone_after_the_next) {
    session_recorder me{sql::make_coordinator(database())};
    me.attached();
    ASSERT_EQ(me.ask(core::create_op{"/given_back"}).error, core::server_error::ok);
    ASSERT_EQ(me.ask(core::get_op{"/given_back", core::watch_mode::watch}).error,
              core::server_error::ok);
    shared_server().kill();
    me.link(core::link_kind::detached);
    me.session().forget_watches("/given_back");
    shared_server().start();
    me.attached(2);
    ASSERT_EQ(me.ask(core::set_op{"/given_back", "changed"}).error, core::server_error::ok);
    EXPECT_EQ(me.ask(core::remove_op{"/given_back"}).error, core::server_error::ok);
    EXPECT_TRUE(me.heard<core::watch_event>().empty());
    EXPECT_THAT(shared_server().run_sql(
                    "SELECT count(*) FROM turnstile_watches WHERE path = '/given_back'"),
                HasSubstr("0"));
}

std::string as(const std::string& user, const std::string& database_name = "postgres",
               const std::string& parameters = {}) {
    return "postgresql://" + user + "@127.0.0.1:" + std::to_string(shared_server().port()) + "/" +
           database_name + parameters;
}

TEST(postgresql_refusals, say_what_is_wrong) {
    auto& server = shared_server();
    EXPECT_THAT(
        diagnosis_of(as("postgres", "postgres", "?options=-cdefault_transaction_read_only%3Don")),
        HasSubstr("takes no writes"));
    server.run_sql("CREATE ROLE weak LOGIN");
    EXPECT_THAT(diagnosis_of(as("weak", "postgres", "?options=-csearch_path%3Dpublic,nowhere")),
                AllOf(HasSubstr("permission denied"), HasSubstr("lacks a right")));
    server.run_sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    EXPECT_THAT(diagnosis_of(as("postgres", "latin")), HasSubstr("LATIN1; UTF8 is needed"));
    const auto later = as("postgres", "postgres", "?options=-csearch_path%3Dlater");
    server.run_sql("CREATE SCHEMA later");
    connect(later, database_options())->close();
    server.run_sql("UPDATE later.turnstile_meta SET value = 99 WHERE name = 'schema'");
    EXPECT_THAT(diagnosis_of(later), HasSubstr("version 99; this release needs version 2"));
    EXPECT_THAT(diagnosis_of(as("postgres", "none")), HasSubstr("does not exist"));
}

TEST(postgresql_refusals, a_parameter_that_libpq_does_not_know_is_refused_at_once) {
    try {
        const client none{as("secretive:wr0ng", "postgres", "?sslmode=prefer&foo=1&chroot=/a")};
        ADD_FAILURE() << "it is taken";
    } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), errc::bad_connect_string);
        EXPECT_THAT(e.what(), AllOf(HasSubstr("invalid URI query parameter: \"foo\""),
                                    HasSubstr("://***@"), Not(HasSubstr("wr0ng"))));
    }
}

// This schema hides PostgreSQL's `current_setting`, so the server looks like PostgreSQL 11.22.
TEST(postgresql_refusals, an_older_server_is_told_by_its_own_code) {
    shared_server().run_sql(
        "CREATE SCHEMA IF NOT EXISTS older; "
        "CREATE OR REPLACE FUNCTION older.current_setting(text) RETURNS text LANGUAGE "
        "sql AS $$ SELECT CASE $1 WHEN 'server_version_num' THEN '110022' ELSE '11.22' END $$");
    const auto older = as("postgres", "postgres", "?options=-csearch_path%3Dolder,pg_catalog");
    EXPECT_THAT(diagnosis_of(older), HasSubstr("is PostgreSQL 11.22; 12 or later is needed"));
    client refused{older, database_options()};
    result<void> connected{errc::timeout};
    EXPECT_TRUE(eventually([&] {
        connected = refused.wait_connected(10ms);
        return connected.error() == errc::server_too_old;
    }));
    EXPECT_THAT(connected.error().message(), HasSubstr("12 or later is needed"));
}

TEST(postgresql_refusals, a_password_is_asked_for_and_never_told) {
    shared_server().run_sql("CREATE ROLE secretive LOGIN PASSWORD 'right'");
    const auto where = as("secretive:wr0ng");
    EXPECT_THAT(diagnosis_of(where), AllOf(HasSubstr("password authentication failed"),
                                           HasSubstr("secretive@"), Not(HasSubstr("wr0ng"))));
    client refused{where, database_options()};
    EXPECT_EQ(refused.wait_connected(limit()).error(), errc::auth_failed);
}

// The server's message contains the name of the database, and the name contains the code of refused credentials.
TEST(postgresql_refusals, a_code_inside_a_name_refuses_no_credentials) {
    client waiting{as("postgres", "shop28000"), database_options()};
    EXPECT_TRUE(eventually([&] {
        const auto told = waiting.wait_connected(10ms);
        return !told && told.error().message().find("does not exist") != std::string::npos;
    }));
    run_sql("CREATE DATABASE shop28000");
    const auto connected = waiting.wait_connected(limit());
    EXPECT_TRUE(connected) << connected.error().message();
}

// Limits that an operator sets on the time of a user's statements must not end the library's wait for a folder.
TEST(postgresql_refusals, limits_of_the_user_are_not_the_sessions) {
    const auto path = lock_path();
    const auto servers = connect(
        as("postgres", "postgres", "?options=-cstatement_timeout%3D100%20-clock_timeout%3D100"),
        database_options(60s));
    mutex lock{*servers, path};
    ASSERT_TRUE(lock.acquire({.timeout = limit()})->release(limit()));
    const std::unique_ptr<PGconn, decltype(&::PQfinish)> other{::PQconnectdb(database().c_str()),
                                                               &::PQfinish};
    const std::string text = "SELECT pg_advisory_lock(1953854062, " +
                             std::to_string(sql::hash_of(path) % sql::k_stripes) + ")";
    ::PQclear(::PQexec(other.get(), text.c_str()));
    testing::event granted;
    lock.async_acquire({}, [&](result<guard> hold) {
        EXPECT_TRUE(hold);
        granted.set();
    });
    EXPECT_TRUE(eventually([] {
        return shared_server().run_sql(
                   "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                   "clock_timestamp() - query_start > '300 ms'") == "1\n";
    }));
    ::PQclear(::PQexec(other.get(), "SELECT pg_advisory_unlock_all()"));
    EXPECT_TRUE(granted.wait());
}

// A session is idle for a third of its timeout, and must not lose its connection meanwhile.
TEST(postgresql_refusals, limits_of_the_user_end_no_idle_session) {
    if (std::stoi(run_sql("SHOW server_version_num")) < 140000)
        GTEST_SKIP() << "this server has no idle_session_timeout";
    const auto servers = connect(
        as("postgres", "postgres", "?application_name=idle&options=-cidle_session_timeout%3D100"),
        database_options(k_for_ever));
    EXPECT_TRUE(eventually([] {
        return run_sql(
                   "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idle' AND "
                   "clock_timestamp() - state_change > '300 ms'") == "1\n";
    }));
}

TEST(postgresql_refusals, a_server_that_is_not_there) {
    const testing::loopback_port nobody;
    EXPECT_THAT(diagnosis_of("postgresql://postgres:secret@" + nobody.address() + "/postgres"),
                AllOf(HasSubstr("refused"), Not(HasSubstr("secret"))));
}

// If the connection is to another database, sql::check says so. For other failures, it repeats the server's message.
TEST(postgresql_check, says_that_the_connection_is_to_another_database) {
    const auto servers = connect_to_database(60s);
    mutex lock{*servers, lock_path()};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const std::unique_ptr<PGconn, decltype(&::PQfinish)> other{
        ::PQconnectdb(as("postgres", "template1").c_str()), &::PQfinish};
    ::PQclear(::PQexec(other.get(), "BEGIN"));
    const auto refused = sql::check(*hold, other.get());
    EXPECT_EQ(refused.error(), errc::removed);
    EXPECT_THAT(refused.error().message(), HasSubstr("not to the database of the lock"));
    const auto user = connect_user();
    user->run("BEGIN");
    user->run("SET LOCAL ROLE pg_monitor");
    const auto denied = user->check(*hold);
    EXPECT_EQ(denied.error(), errc::not_connected);
    EXPECT_THAT(denied.error().message(), HasSubstr("permission denied"));
}

TEST(postgresql_promises, are_those_of_one_server) {
    testing::postgres_server durable{{.config = "fsync = on\n"}};
    durable.start();
    const client servers{durable.connect_string(),
                         {.require = {.exclusion = exclusion_promise::leased,
                                      .order = order_promise::arrival,
                                      .waiting = waiting_promise::notified,
                                      .writes = write_promise::guarded,
                                      .crash = crash_promise::session_timeout,
                                      .scope = scope_promise::server}}};
    EXPECT_THROW((client{durable.connect_string(), {.require = {.crash = crash_promise::at_once}}}),
                 std::system_error);
    durable.stop();
    EXPECT_EQ(servers.promises().exclusion, exclusion_promise::leased) << "it is not to be asked";
}

bool has_thread(const std::string& name) {
    for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task"}) {
        std::ifstream file{task.path() / "comm"};
        std::string found;
        if (std::getline(file, found) && found == name) return true;
    }
    return false;
}

TEST(postgresql_promises, are_asked_for_by_a_thread_with_a_name) {
    testing::tcp_proxy silent{"127.0.0.1:" + std::to_string(shared_server().port()),
                              testing::traffic::bytes};
    silent.black_hole();
    const client servers{"postgresql://postgres@" + silent.address() + "/postgres"};
    const auto asked = std::async(std::launch::async, [&] { return servers.promises(); });
    EXPECT_TRUE(eventually([] { return has_thread("turnstile-ask"); }));
    silent.refuse();
}

TEST(postgresql_promises, of_a_server_without_fsync_are_best_effort) {
    const client servers{database()};  // with the kit's settings
    EXPECT_EQ(servers.promises().exclusion, exclusion_promise::best_effort);
    EXPECT_THROW((client{database(), {.require = {.exclusion = exclusion_promise::leased}}}),
                 std::system_error);
}

// The server is down when the client is created. So the client compares the server's promises with the required
// promises when it attaches.
TEST(postgresql_promises, that_are_required_are_judged_at_each_attach) {
    testing::postgres_server fast{{.config = "fsync = off\n"}};
    fast.start();
    fast.stop();
    client servers{fast.connect_string(), {.require = {.exclusion = exclusion_promise::leased}}};
    fast.start();
    EXPECT_TRUE(eventually([&] {
        const auto told = servers.wait_connected(50ms);
        return !told && told.error().message().find("leased is required") != std::string::npos;
    }));
}

TEST(postgresql_server, leaves_no_shared_memory_when_killed) {
    testing::postgres_server server;
    server.start();
    std::istringstream line{
        server.run_sql("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 7)")};
    unsigned long key = 0;
    int id = 0;
    ASSERT_TRUE(line >> key >> id);
    shmid_ds segment{};
    ASSERT_EQ(::shmctl(id, IPC_STAT, &segment), 0);
    server.kill();
    EXPECT_EQ(::shmctl(id, IPC_STAT, &segment), -1);
}

// The failure repeats each time that the session attaches. The library must log it once, and retry at growing
// intervals.
TEST(postgresql_loss, a_failure_that_stays_is_told_once) {
    const auto servers = connect_to_database();
    mutex lock{*servers, lock_path()};
    const log_lines lines;
    run_sql("ALTER TABLE turnstile_watches RENAME TO turnstile_watches_away");
    EXPECT_FALSE(lock.acquire({.timeout = 1s}).has_value());
    EXPECT_EQ(lines.with("turnstile_watches"), 1);
    run_sql("ALTER TABLE turnstile_watches_away RENAME TO turnstile_watches");
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
}

}  // namespace
}  // namespace turnstile::tests
