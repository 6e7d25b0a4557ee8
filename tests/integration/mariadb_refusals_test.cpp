// SPDX-License-Identifier: Apache-2.0
// Tests which servers and users the library refuses, and with which message. Also tests frozen and full servers.
#include <gmock/gmock.h>

#include "mariadb_support.hpp"
#include "session_recorder.hpp"
#include "sql/coordinator.hpp"
#include "turnstile/testing/loopback_port.hpp"

namespace turnstile::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string as(const std::string& user, const std::string& database_name = "turnstile",
               const std::string& parameters = {}) {
    return "mysql://" + user + "@127.0.0.1:" + std::to_string(shared_server().port()) + "/" +
           database_name + parameters;
}

class global {
public:
    global(std::string name, const std::string& value)
        : name_{std::move(name)}, before_{shared_server().run_sql("SELECT @@GLOBAL." + name_)} {
        set(value);
    }
    ~global() { set(before_); }
    global(const global&) = delete;
    global& operator=(const global&) = delete;

private:
    void set(const std::string& value) const {
        shared_server().run_sql("SET GLOBAL " + name_ + " = " + value);
    }
    const std::string name_;
    const std::string before_;
};

TEST(mariadb_refusals, rights_that_are_missing) {
    auto& server = shared_server();
    server.run_sql(
        "CREATE DATABASE kept_from; CREATE USER weak; CREATE USER stranger; "
        "GRANT SELECT ON kept_from.* TO weak");
    EXPECT_THAT(diagnosis_of(as("weak", "kept_from")),
                AllOf(HasSubstr("CREATE command denied"), HasSubstr("lacks a right")));
    EXPECT_THAT(diagnosis_of(as("stranger", "kept_from")),
                AllOf(HasSubstr("Access denied"), HasSubstr("lacks a right")));
    EXPECT_THAT(diagnosis_of(as("root", "none")), HasSubstr("Unknown database 'none'"));
}

// docs/how-to/mariadb.md tells operators which permissions to grant. These permissions must suffice.
TEST(mariadb_refusals, the_rights_of_the_page_are_enough) {
    auto& server = shared_server();
    server.run_sql("CREATE DATABASE granted; CREATE USER shop");
    connect(as("root", "granted"), database_options())->close();
    for (const auto* table : {"meta", "sessions", "nodes", "watches", "events", "stripes"})
        server.run_sql("GRANT SELECT, INSERT, UPDATE, DELETE ON granted.turnstile_" +
                       std::string{table} + " TO shop");
    server.run_sql(std::string{"GRANT SELECT, INSERT"} + (is_mysql() ? ", DELETE" : "") +
                   " ON granted.turnstile_number TO shop");
    const auto servers = connect(as("shop", "granted"), database_options());
    const auto other = connect(as("shop", "granted"), database_options(60s));
    mutex lock{*servers, "/orders"};
    mutex waiting{*other, "/orders"};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    testing::event granted;
    waiting.async_acquire({}, [&](result<guard> next) {
        EXPECT_TRUE(next);
        granted.set();
    });
    ASSERT_TRUE(becomes_size(*servers, "/orders", 2));
    EXPECT_TRUE(hold->release(limit()));
    EXPECT_TRUE(granted.wait()) << "the same user may ring";
}

TEST(mariadb_refusals, tables_of_another_version) {
    auto& server = shared_server();
    server.run_sql("CREATE DATABASE later");
    connect(as("root", "later"), database_options())->close();
    server.run_sql("UPDATE later.turnstile_meta SET value = 99 WHERE name = 'schema'");
    EXPECT_THAT(diagnosis_of(as("root", "later")),
                HasSubstr("version 99; this release needs version 2"));
}

// A client died while it created the tables. The next client must create the rest.
TEST(mariadb_refusals, half_made_tables_are_completed) {
    auto& server = shared_server();
    server.run_sql("CREATE DATABASE half");
    connect(as("root", "half"), database_options())->close();
    server.run_sql(
        "DELETE FROM half.turnstile_meta; DROP TABLE half.turnstile_watches; "
        "DELETE FROM half.turnstile_stripes WHERE stripe > 500");
    const auto servers = connect(as("root", "half"), database_options());
    mutex lock{*servers, "/orders"};
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    EXPECT_EQ(server.run_sql("SELECT COUNT(*) FROM half.turnstile_stripes"), "1024\n");
}

TEST(mariadb_refusals, a_password_is_asked_for_and_never_told) {
    shared_server().run_sql(
        "CREATE USER secretive IDENTIFIED BY 'right'; "
        "GRANT ALL ON turnstile.* TO secretive");
    const auto where = as("secretive:wr0ng");
    EXPECT_THAT(diagnosis_of(where), AllOf(HasSubstr("Access denied"), HasSubstr("secretive@"),
                                           Not(HasSubstr("wr0ng"))));
    client refused{where, database_options()};
    EXPECT_EQ(refused.wait_connected(limit()).error(), errc::auth_failed);
    client accepted{as("secretive:right"), database_options()};
    EXPECT_TRUE(accepted.wait_connected(limit()));
}

TEST(mariadb_refusals, a_server_that_is_not_there) {
    const testing::loopback_port nobody;
    EXPECT_THAT(diagnosis_of("mysql://root:secret@" + nobody.address() + "/turnstile"),
                AllOf(HasSubstr("onnect"), Not(HasSubstr("secret"))));
}

// A session needs two connections, so five clients fill the server. The server reserves one connection for root. On
// that connection the test resets the server's limit on connections.
TEST(mariadb_refusals, a_full_server) {
    shared_server().run_sql("CREATE USER crowd; GRANT ALL ON turnstile.* TO crowd");
    const global few{"max_connections", "10"};
    std::vector<std::unique_ptr<client>> many;
    for (int i = 0; i != 5; ++i) many.push_back(connect(as("crowd"), database_options()));
    EXPECT_THAT(diagnosis_of(as("crowd")), HasSubstr("oo many connections"));
}

TEST(mariadb_refusals, a_replica_takes_no_writes) {
    const global frozen{"read_only", "1"};
    EXPECT_THAT(diagnosis_of(database()), HasSubstr("takes no writes (read_only)"));
}

TEST(mariadb_refusals, a_server_of_short_statements) {
    const global little{"max_allowed_packet", "1048576"};
    EXPECT_THAT(diagnosis_of(database()), HasSubstr("takes statements of 1048576 bytes"));
}

// An operator freezes the server during a switch-over. The library must report that, and the hold must survive if the
// server continues in time.
TEST(mariadb_refusals, a_server_that_is_frozen_for_a_while) {
    auto& server = shared_server();
    server.run_sql("CREATE USER plain; GRANT ALL ON turnstile.* TO plain");
    const auto path = lock_path();
    const auto servers = connect(as("plain"), database_options(60s));
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    {
        const global frozen{"read_only", "1"};
        EXPECT_FALSE(hold->commit(transaction{}.create(path + ".late", ""), {.timeout = 100ms}));
    }
    EXPECT_TRUE(hold->commit(transaction{}.create(path + ".then", ""), {.timeout = limit()}));
    EXPECT_TRUE(hold->valid());
}

// No request may exceed the server's limit on the length of a packet.
TEST(mariadb_refusals, the_largest_znode_fits) {
    const global least{"max_allowed_packet", "4194304"};
    const auto path = lock_path();
    const auto servers = connect_to_database();
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto written = hold->commit(
        transaction{}.create(path + ".large", std::string(std::size_t{500} * 1000, 'x')),
        {.timeout = limit()});
    EXPECT_TRUE(written) << written.error().message();
}

// The request that ends a session with many znodes must not exceed the server's limit on the length of a packet.
TEST(mariadb_refusals, a_session_with_many_znodes_ends) {
    constexpr int k_many = 700;
    const global least{"max_allowed_packet", "4194304"};
    core::session_settings settings;
    settings.timeout = 4s;
    const std::string folder = "/many_znodes";
    session_recorder others{sql::make_coordinator(database()), settings};
    others.attached();
    ASSERT_EQ(others.ask(core::create_op{folder}).error, core::server_error::ok);
    {
        session_recorder owner{sql::make_coordinator(database()), settings};
        owner.attached();
        const std::string begin = folder + "/" + std::string(1900, 'x');
        core::ticket last{};
        for (int i = 0; i != k_many; ++i)
            last =
                owner.submit(core::create_op{begin, "", core::create_mode::ephemeral_sequential});
        ASSERT_EQ(owner.wait(last).error, core::server_error::ok);
    }
    EXPECT_TRUE(eventually([&] { return others.ask(core::children_op{folder}).children.empty(); }));
}

// The database appends a number to a sequential znode's name. The path with this number must not exceed the limit on
// the length of a path.
TEST(mariadb_refusals, a_path_that_its_number_makes_too_long) {
    session_recorder me{sql::make_coordinator(database())};
    me.attached();
    const auto of_length = [](std::size_t length) { return "/" + std::string(length - 1, 'x'); };
    constexpr auto k_mode = core::create_mode::persistent_sequential;
    EXPECT_EQ(me.ask(core::create_op{of_length(1995), "", k_mode}).error,
              core::server_error::bad_arguments);
    EXPECT_EQ(me.ask(core::create_op{of_length(1980), "", k_mode}).error, core::server_error::ok);
    EXPECT_EQ(me.ask(core::create_op{of_length(2000)}).error, core::server_error::ok);
    EXPECT_TRUE(me.heard<core::link_event>().size() == 1) << "and the session goes on";
}

// With a limit of one row, a list of two contenders would show only one contender.
TEST(mariadb_refusals, none_if_the_server_limits_the_rows_of_a_select) {
    const global limited{"sql_select_limit", "1"};
    const auto path = lock_path();
    const auto servers = connect_to_database();
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    testing::event granted;
    lock.async_acquire({}, [&](result<guard> next) {
        EXPECT_TRUE(next);
        granted.set();
    });
    ASSERT_TRUE(becomes_size(*servers, path, 2));
    EXPECT_TRUE(hold->release(limit()));
    EXPECT_TRUE(granted.wait());
}

TEST(mariadb_refusals, a_server_that_makes_tables_in_another_engine) {
    if (is_mysql()) GTEST_SKIP() << "MySQL has no enforce_storage_engine";
    shared_server().run_sql("CREATE DATABASE enforced");
    const global engine{"enforce_storage_engine", "Aria"};
    EXPECT_THAT(diagnosis_of(as("root", "enforced")), HasSubstr("InnoDB"));
}

TEST(mariadb_refusals, tables_in_another_engine) {
    shared_server().run_sql("CREATE DATABASE altered");
    connect(as("root", "altered"), database_options())->close();
    shared_server().run_sql("ALTER TABLE altered.turnstile_stripes ENGINE = MyISAM");
    EXPECT_THAT(diagnosis_of(as("root", "altered")),
                HasSubstr("has the table turnstile_stripes in the engine MyISAM"));
}

TEST(mariadb_refusals, a_server_that_logs_statements) {
    testing::mariadb_server logging{{{"--log-bin=log", "--binlog-format=STATEMENT"}}};
    logging.start();
    EXPECT_THAT(diagnosis_of(logging.connect_string()),
                HasSubstr("logs statements (binlog_format=STATEMENT)"));
}

// With a binary log and MariaDB's default, sync_binlog 0, a power failure may lose committed transactions. MySQL's
// default is 1.
TEST(mariadb_refusals, promises_of_a_server_with_a_binary_log) {
    testing::mariadb_server logging{{{"--log-bin=log"}}};
    logging.start();
    const client servers{logging.connect_string(), database_options()};
    EXPECT_EQ(servers.promises().exclusion,
              is_mysql() ? exclusion_promise::leased : exclusion_promise::best_effort);
    logging.run_sql("SET GLOBAL sync_binlog = 0");
    EXPECT_EQ(servers.promises().exclusion, exclusion_promise::best_effort);
    logging.run_sql("SET GLOBAL sync_binlog = 1");
    EXPECT_EQ(servers.promises().exclusion, exclusion_promise::leased);
    mutex lock{servers, "/orders"};
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value()) << "MIXED and ROW are good";
}

// The server never syncs its files, so a crash of the machine may lose commits.
TEST(mariadb_refusals, promises_of_a_server_that_does_not_sync_its_files) {
    testing::mariadb_server careless{{{"--innodb-flush-method=nosync"}}};
    careless.start();
    const client servers{careless.connect_string(), database_options()};
    EXPECT_EQ(servers.promises().exclusion, exclusion_promise::best_effort);
}

}  // namespace
}  // namespace turnstile::tests
