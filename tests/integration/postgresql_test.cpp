// SPDX-License-Identifier: Apache-2.0
// What PostgreSQL's servers promise beyond the recipes: sessions outlive a broken connection and a restart; what is
// refused, and with which sentence.
#include <gmock/gmock.h>
#include <libpq-fe.h>

#include <atomic>
#include <thread>

#include "sql/coordinator.hpp"
#include "sql_backend.hpp"
#include "turnstile/sql.hpp"
#include "turnstile/testing/postgres_server.hpp"
#include "turnstile/testing/process.hpp"
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
    EXPECT_THAT(diagnosis_of(later), HasSubstr("version 99; this release needs version 1"));
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
    const client servers{database(),
                         {.require = {.exclusion = exclusion_promise::leased,
                                      .order = order_promise::arrival,
                                      .waiting = waiting_promise::notified,
                                      .writes = write_promise::guarded,
                                      .crash = crash_promise::session_timeout,
                                      .scope = scope_promise::server}}};
    EXPECT_THROW((client{database(), {.require = {.crash = crash_promise::at_once}}}),
                 std::system_error);
}

}  // namespace
}  // namespace turnstile::tests
