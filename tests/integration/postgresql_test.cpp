// SPDX-License-Identifier: Apache-2.0
// What PostgreSQL's servers promise beyond the recipes: sessions outlive a broken connection and a restart; what is
// refused, and with which sentence.
#include <gmock/gmock.h>
#include <libpq-fe.h>

#include <atomic>
#include <future>
#include <thread>

#include "session_recorder.hpp"
#include "sql/coordinator.hpp"
#include "sql/postgresql_database.hpp"
#include "sql/session.hpp"
#include "sql/stripes.hpp"
#include "sql_backend.hpp"
#include "turnstile/sql.hpp"
#include "turnstile/testing/postgres_server.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/tcp_proxy.hpp"
#include "turnstile/testing/temporary_folder.hpp"

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

namespace {

TEST(postgresql_loss, a_hold_outlives_a_restart_of_the_server) {
    const auto path = lock_path();
    const auto servers = connect_to_database(60s);
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    shared_server().kill();
    shared_server().start();
    const auto written =
        hold->commit(transaction{}.create(path + ".after", ""), {.timeout = limit()});
    ASSERT_TRUE(written) << written.error().message();
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->release());
}

TEST(postgresql_loss, a_waiter_outlives_a_restart_of_the_server) {
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
    shared_server().kill();
    shared_server().start();
    ASSERT_TRUE(hold->release(limit()));
    EXPECT_TRUE(granted.wait());
}

TEST(postgresql_loss, a_server_that_stands_still_is_waited_for) {
    const auto path = lock_path();
    const auto servers = connect_to_database(60s);
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    shared_server().pause();
    EXPECT_FALSE(hold->commit(transaction{}.create(path + ".late", ""), {.timeout = 50ms}));
    shared_server().resume();
    EXPECT_TRUE(hold->commit(transaction{}.create(path + ".then", ""), {.timeout = limit()}));
}

// The bound is close()'s, and not that of each of its transactions.
TEST(postgresql_loss, an_end_that_has_begun_waits_no_longer_for_a_server_that_stands_still) {
    const auto closing = std::make_shared<sql::closing_signal>();
    sql::postgresql_database db{{database(), "here", k_for_ever, closing}};
    closing->begun = true;
    closing->closing.set();
    db.connect();
    db.begin(sql::access::read);
    shared_server().pause();
    auto asked = std::async(std::launch::async, [&] { db.run("SELECT 1"); });
    EXPECT_EQ(asked.wait_for(limit()), std::future_status::ready);
    shared_server().resume();
    EXPECT_THROW(asked.get(), sql::database_error);
}

// Its machine is gone: it neither answers nor refuses.
TEST(postgresql_loss, a_host_that_does_not_answer_is_not_tried_first_for_ever) {
    const auto address = "127.0.0.1:" + std::to_string(shared_server().port());
    testing::tcp_proxy silent{address, testing::traffic::bytes};
    silent.black_hole();
    const auto servers =
        connect("postgresql://postgres@" + silent.address() + "," + address + "/postgres",
                database_options(2s));
    mutex lock{*servers, lock_path()};
    EXPECT_TRUE(lock.acquire({.timeout = limit()}));
}

// Found by the simulator (--servers sql, seed 68): the request to give the watch back was forgotten with the connection,
// and the watch stood at the database for as long as the session.
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

// The connections are cut again and again, at any step of what they carry. The judge counts who is inside.
TEST(postgresql_loss, cut_connections_grant_nothing_twice) {
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
    for (int i = 0; i != k_cuts; ++i)
        shared_server().run_sql(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE application_name = 'turnstile'");
    client_a.join();
    client_b.join();
    EXPECT_EQ(violations.load(), 0);
}

// A process that dies sends nothing: its session ends when its time is over, which is when the waiter looks.
TEST(postgresql_crash, a_killed_holder_s_lock_is_free_when_its_session_has_ended) {
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

std::string diagnosis_of(const std::string& where, std::chrono::milliseconds timeout = 4s) {
    struct silent final : core::session_sink {
        void deliver(core::coordinator_event&&) noexcept override {}
    } sink;
    const auto servers = sql::make_coordinator(where);
    core::session_settings settings;
    settings.timeout = timeout;
    const auto session = servers->open(settings, sink);
    std::string said;
    EXPECT_TRUE(eventually([&] {
        said = servers->diagnose();
        return said != "the database answers";
    }));
    session->close();
    return said;
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

TEST(postgresql_refusals, a_password_is_asked_for_and_never_told) {
    shared_server().run_sql("CREATE ROLE secretive LOGIN PASSWORD 'right'");
    const auto where = as("secretive:wr0ng");
    EXPECT_THAT(diagnosis_of(where), AllOf(HasSubstr("password authentication failed"),
                                           HasSubstr("secretive@"), Not(HasSubstr("wr0ng"))));
    client refused{where, database_options()};
    EXPECT_EQ(refused.wait_connected(limit()).error(), errc::auth_failed);
}

// A limit that an operator has set for the program's statements is none for those that wait for a lock's folder.
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

TEST(postgresql_refusals, a_server_that_is_not_there) {
    const testing::loopback_port nobody;
    EXPECT_THAT(diagnosis_of("postgresql://postgres:secret@" + nobody.address() + "/postgres"),
                AllOf(HasSubstr("refused"), Not(HasSubstr("secret"))));
}

class user_connection {
public:
    user_connection() : connection_{::PQconnectdb(database().c_str())} {
        EXPECT_EQ(::PQstatus(connection_), CONNECTION_OK);
    }
    ~user_connection() { ::PQfinish(connection_); }
    user_connection(const user_connection&) = delete;
    user_connection& operator=(const user_connection&) = delete;
    void run(const char* text) { ::PQclear(::PQexec(connection_, text)); }
    [[nodiscard]] PGconn* get() const noexcept { return connection_; }

private:
    PGconn* const connection_;
};

TEST(postgresql_check, the_lock_does_not_pass_on_before_the_transaction_has_ended) {
    const auto path = lock_path();
    const auto client_a = connect_to_database(60s);
    const auto client_b = connect_to_database(60s);
    mutex mine{*client_a, path};
    mutex other{*client_b, path};
    auto hold = mine.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    user_connection user;
    EXPECT_EQ(sql::check(*hold, user.get()).error(), errc::bad_option) << "in no transaction";
    user.run("BEGIN");
    const auto stands = sql::check(*hold, user.get());
    ASSERT_TRUE(stands) << stands.error().message();
    testing::event granted;
    testing::event committed;
    other.async_acquire({}, [&](result<guard> next) {
        EXPECT_TRUE(next);
        EXPECT_TRUE(committed.is_set());
        granted.set();
    });
    ASSERT_TRUE(becomes_size(*client_b, path, 2)) << "others go on meanwhile";
    EXPECT_TRUE(hold->commit(transaction{}.create(path + ".kept", ""), {.timeout = limit()}))
        << "and so does the holder";
    EXPECT_EQ(hold->release(50ms).error(), errc::timeout) << "its removal waits";
    EXPECT_FALSE(granted.is_set());
    committed.set();
    user.run("COMMIT");
    EXPECT_TRUE(granted.wait());
}

// Its session has ended by the clock, and still the lock does not pass on: the pause may be as long as it likes.
TEST(postgresql_check, the_end_of_a_session_waits_for_the_transaction) {
    const auto path = lock_path();
    const testing::temporary_folder folder;
    const auto servers = connect_to_database(60s);
    auto slow = std::make_unique<client>(database(), database_options(1s));
    mutex lock{*slow, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    user_connection user;
    user.run("BEGIN");
    ASSERT_TRUE(sql::check(*hold, user.get()));
    slow->close();  // its session cannot be ended: others would do it
    mutex other{*servers, path};
    testing::event granted;
    testing::event committed;
    other.async_acquire({}, [&](result<guard> next) {
        EXPECT_TRUE(next);
        EXPECT_TRUE(committed.is_set());
        granted.set();
    });
    ASSERT_TRUE(becomes_size(*servers, path, 2));
    committed.set();
    user.run("COMMIT");
    EXPECT_TRUE(granted.wait());
    user.run("BEGIN");
    EXPECT_EQ(sql::check(*hold, user.get()).error(), errc::removed);
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

TEST(postgresql_promises, of_a_server_without_fsync_are_best_effort) {
    const client servers{database()};  // the kit's
    EXPECT_EQ(servers.promises().exclusion, exclusion_promise::best_effort);
    EXPECT_THROW((client{database(), {.require = {.exclusion = exclusion_promise::leased}}}),
                 std::system_error);
}

}  // namespace
}  // namespace turnstile::tests
