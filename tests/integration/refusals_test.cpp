// SPDX-License-Identifier: Apache-2.0
// Tests every way in which a server refuses a client. An acquire, a query and wait_connected() must report the same
// code and the same cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "recording_peer.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/event.hpp"
#include "turnstile/testing/loopback_port.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/turnstile.hpp"
#ifdef TURNSTILE_WITH_REDIS
#include "turnstile/testing/redis_server.hpp"
#endif
#ifdef TURNSTILE_WITH_TLS
#include "tls_link.hpp"
#endif
#ifdef TURNSTILE_WITH_POSTGRESQL
#include "turnstile/testing/postgres_server.hpp"
#endif
#ifdef TURNSTILE_WITH_MARIADB
#include "turnstile/testing/mariadb_server.hpp"
#endif

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

struct refusal {
    std::string where;  // connect string
    errc code = errc::not_connected;
    std::string words;  // a part of the message
    // A part of the message in versions of the server's client library whose text differs from `words`.
    std::string other_words = words;
};

client_options quick() {
    client_options options;
    options.session_timeout = 4s;
    options.retry_first = 10ms;
    options.retry_longest = 100ms;
    return options;
}

// Repeats the call until it fails with the expected refusal. `last` gets the latest message.
template <class Call>
bool names(const refusal& expected, std::string& last, Call&& call) {
    return eventually([&] {
        const auto answer = call();
        last = answer ? "granted" : answer.error().message();
        return !answer && answer.error() == expected.code &&
               (last.find(expected.words) != std::string::npos ||
                last.find(expected.other_words) != std::string::npos);
    });
}

void expect_refusal(const refusal& expected) {
    client servers{expected.where, quick()};
    mutex lock{servers, "/locks/a"};
    std::string last;
    EXPECT_TRUE(names(expected, last, [&] { return lock.acquire({.timeout = 300ms}); }))
        << expected.where << ": acquire says '" << last << "'";
    EXPECT_TRUE(names(expected, last, [&] { return lock.queue({.timeout = 300ms}); }))
        << expected.where << ": a query says '" << last << "'";
    EXPECT_TRUE(names(expected, last, [&] { return servers.wait_connected(300ms); }))
        << expected.where << ": wait_connected says '" << last << "'";
}

// Checks a connect string whose chroot does not exist. The error must name both ways to create the chroot. With
// `create_chroot`, the client creates the chroot, and a session in the chroot knows the server's time.
void expect_chroot(const std::string& where) {
    expect_refusal({where, errc::no_chroot, "/no/such"});
    expect_refusal(
        {where, errc::no_chroot, "`turnstile mkdir /` or client_options::create_chroot"});
    auto creating = quick();
    creating.create_chroot = true;
    client first{where, creating};
    const auto granted = mutex(first, "/locks/a").acquire(testing::limit());
    EXPECT_TRUE(granted) << where << ": " << granted.error().message();
    const auto clock = first.session().servers_time;
    ASSERT_TRUE(clock) << where;
    EXPECT_LT(std::chrono::abs(*clock - std::chrono::system_clock::now()), 1min) << where;
    client second{where, creating};
    EXPECT_TRUE(second.wait_connected(testing::limit())) << where;
    client plain{where, quick()};
    EXPECT_TRUE(mutex(plain, "/locks/a").is_locked({.timeout = testing::limit()}).value()) << where;
}

// A kind of server in the network, and how its connect strings begin and end.
struct network_kind {
    std::string scheme;
    std::string rest;
};
std::vector<network_kind> network_kinds() {
    std::vector<network_kind> kinds{{"", ""}};
#ifdef TURNSTILE_WITH_REDIS
    kinds.push_back({"redis://", ""});
#endif
#ifdef TURNSTILE_WITH_POSTGRESQL
    kinds.push_back({"postgresql://shop@", "/shop"});
#endif
#ifdef TURNSTILE_WITH_MARIADB
    kinds.push_back({"mysql://shop@", "/shop"});
#endif
    return kinds;
}

// ---- all kinds of servers -------------------------------------------------------------------

TEST(refusals, of_a_port_that_nobody_listens_at) {
    const testing::loopback_port nobody;
    for (const auto& [scheme, rest] : network_kinds()) {
        const bool is_mariadb = scheme.starts_with("mysql");
        expect_refusal({scheme + nobody.address() + rest, errc::not_connected,
                        is_mariadb ? "(111)" : "onnection refused"});
    }
}

TEST(refusals, of_a_name_without_an_address) {
    for (const auto& [scheme, rest] : network_kinds()) {
        const bool is_zookeeper = scheme.empty();
        expect_refusal({scheme + "no-such-host.invalid:2181" + rest,
                        is_zookeeper ? errc::unresolvable : errc::not_connected,
                        scheme.starts_with("mysql") ? "no-such-host.invalid" : "not known"});
    }
}

TEST(refusals, of_a_peer_that_never_answers) {
    const recording_peer peer{{"", "", ""}};
    for (const auto& [scheme, rest] : network_kinds()) {
        const bool is_zookeeper = scheme.empty();
        const bool is_mariadb = scheme.starts_with("mysql");
        expect_refusal({scheme + peer.address() + rest, errc::not_connected,
                        is_zookeeper ? "accepts connections, but gives no session"
                        : is_mariadb ? "no answer for"
                                     : "no answer"});
    }
}

TEST(refusals, of_a_server_of_another_protocol) {
    const recording_peer web{{"", "HTTP/1.1 400 Bad Request\r\n\r\n", ""}};
    expect_refusal({web.address(), errc::not_connected, "speaks HTTP"});
    const recording_peer shell{{"SSH-2.0-OpenSSH_9.2\r\n", "", ""}};
    expect_refusal({shell.address(), errc::not_connected, "speaks SSH"});
#ifdef TURNSTILE_WITH_REDIS
    expect_refusal({"redis://" + web.address(), errc::not_connected, "Protocol error, got \"H\""});
#endif
#ifdef TURNSTILE_WITH_POSTGRESQL
    expect_refusal(
        {"postgresql://shop@" + web.address() + "/shop", errc::not_connected, "invalid response"});
#endif
#ifdef TURNSTILE_WITH_MARIADB
    // After this SSH banner, libmariadb 10.11.18 keeps waiting, and libmariadb 10.11.19 ends the connection.
    expect_refusal(
        {"mysql://shop@" + shell.address() + "/shop", errc::not_connected, "onnect", "no answer"});
#endif
}

// A server that wants TLS sends this alert after a plain greeting.
TEST(refusals, of_a_server_that_wants_tls) {
    const recording_peer secured{{"", std::string{"\x15\x03\x01\x00\x02\x02\x46", 7}, ""}};
    expect_refusal({secured.address(), errc::not_connected, "speaks TLS"});
#ifdef TURNSTILE_WITH_REDIS
    expect_refusal({"redis://" + secured.address(), errc::not_connected, "Protocol error"});
#endif
}

TEST(refusals, of_a_server_without_tls) {
#ifdef TURNSTILE_WITH_TLS
    const recording_peer plain{{"", "-ERR unknown command\r\n", ""}};
    expect_refusal({"rediss://" + plain.address(), errc::not_connected, "TLS"});
#endif
#ifdef TURNSTILE_WITH_POSTGRESQL
    const recording_peer no_tls{{"", "N", ""}};
    expect_refusal({"postgresql://shop@" + no_tls.address() + "/shop?sslmode=require",
                    errc::not_connected, "server does not support SSL"});
#endif
}

// ---- ZooKeeper ------------------------------------------------------------------------------

testing::ensemble& zookeeper() {
    static testing::ensemble shared;
    static const bool ready = (shared.wait_until_serving(), true);
    EXPECT_TRUE(ready);
    return shared;
}

TEST(refusals, of_zookeeper) {
    expect_chroot(zookeeper().connect_string() + "/no/such");
}

TEST(refusals, of_zookeeper_with_all_the_connections_that_it_allows) {
    testing::ensemble few{{.config_lines = {"maxClientCnxns=1"}}};
    few.wait_until_serving();
    auto alone = quick();
    alone.roles = role_detection::off;  // connections that find out roles would count
    client first{few.connect_string(), alone};
    ASSERT_TRUE(first.wait_connected(testing::limit()));
    expect_refusal({few.connect_string(), errc::not_connected, "(maxClientCnxns)"});
}

TEST(refusals, of_zookeeper_without_a_majority) {
    testing::ensemble three{{.count = 3}};
    three.wait_until_serving();
    const auto where = three.connect_string();
    three.kill(0);
    three.kill(1);
    expect_refusal({where, errc::not_connected, "has no majority to serve with"});
}

// If the server dies after the client has connected, the errors of later calls must also have the reason.
TEST(refusals, of_zookeeper_that_goes_away) {
    testing::ensemble alone;
    alone.wait_until_serving();
    client servers{alone.connect_string(), quick()};
    ASSERT_TRUE(servers.wait_connected(testing::limit()));
    alone.kill(0);
    mutex lock{servers, "/locks/a"};
    std::string last;
    EXPECT_TRUE(names({"", errc::not_connected, "Connection refused"}, last, [&] {
        return lock.acquire({.timeout = 300ms});
    })) << last;
}

// ---- Redis ----------------------------------------------------------------------------------

#ifdef TURNSTILE_WITH_REDIS
TEST(refusals, of_redis) {
    testing::redis_server server{{.config = "requirepass secret\n"}};
    server.start();
    const auto at = server.address();
    expect_refusal({"redis://" + at, errc::auth_failed, "NOAUTH"});
    expect_refusal({"redis://:wrong@" + at, errc::auth_failed, "WRONGPASS"});
    expect_refusal({"redis://:secret@" + at + "?db=1000", errc::not_connected,
                    "SELECT 1000: ERR DB index is out of range"});
    expect_chroot("redis://:secret@" + at + "/no/such");
}

TEST(refusals, of_redis_that_takes_no_writes) {
    testing::redis_server server{{.config = "save 3600 1\n"}};
    server.start();
    const auto where = server.connect_string();
    // A folder named dump.rdb makes the snapshot fail.
    std::filesystem::create_directories(server.folder() / "dump.rdb" / "in_the_way");
    static_cast<void>(server.ask("BGSAVE"));
    ASSERT_TRUE(eventually([&] { return server.ask("SET a 1").starts_with("-MISCONF"); }))
        << server.log();
    expect_refusal({where, errc::not_connected, "MISCONF"});
    EXPECT_EQ(server.ask("CONFIG SET stop-writes-on-bgsave-error no"), "+OK");
    EXPECT_EQ(server.ask("CONFIG SET maxmemory 1"), "+OK");
    expect_refusal({where, errc::quota_exceeded, "OOM"});
    EXPECT_EQ(server.ask("CONFIG SET maxmemory 0"), "+OK");
    EXPECT_EQ(server.ask("CONFIG SET maxmemory-policy allkeys-lru"), "+OK");
    expect_refusal({where, errc::not_connected, "maxmemory-policy is 'allkeys-lru'"});
    EXPECT_EQ(server.ask("CONFIG SET maxmemory-policy noeviction"), "+OK");
    EXPECT_EQ(server.ask("REPLICAOF 127.0.0.1 1"), "+OK");
    expect_refusal({where, errc::not_connected, "the server is a replica"});
}

TEST(refusals, of_redis_with_all_the_connections_that_it_allows) {
    testing::redis_server server;
    server.start();
    EXPECT_EQ(server.ask("CONFIG SET maxclients 1"), "+OK");
    expect_refusal({server.connect_string(), errc::not_connected, "max number of clients reached"});
}

TEST(refusals, of_redis_that_refuses_what_is_asked_later) {
    testing::redis_server server;
    server.start();
    client servers{server.connect_string(), quick()};
    ASSERT_TRUE(servers.wait_connected(testing::limit()));
    EXPECT_EQ(server.ask("REPLICAOF 127.0.0.1 1"), "+OK");
    mutex lock{servers, "/locks/a"};
    std::string last;
    EXPECT_TRUE(names({"", errc::not_connected, "the server is a replica"}, last, [&] {
        return lock.acquire({.timeout = 300ms});
    })) << last;
}
#endif

// ---- SQL ------------------------------------------------------------------------------------

#ifdef TURNSTILE_WITH_SQLITE
TEST(refusals, of_sqlite) {
    const testing::temporary_folder folder;
    const auto file = folder.path() / "locks.db";
    expect_refusal(
        {"sqlite:" + (folder.path() / "none" / "locks.db").string(), errc::not_connected, "none"});
    std::ofstream{file} << "no database at all, but a text that is long enough to be told from it";
    expect_refusal({"sqlite:" + file.string(), errc::not_connected, "is no SQLite file"});
    std::filesystem::remove(file);
    expect_chroot("sqlite:" + file.string() + "?chroot=/no/such");
}
#endif

#ifdef TURNSTILE_WITH_POSTGRESQL
TEST(refusals, of_postgresql) {
    testing::postgres_server server{{.access = "host all locked 127.0.0.1/32 scram-sha-256\n"}};
    server.start();
    server.run_sql("CREATE ROLE locked LOGIN PASSWORD 'right'");
    server.run_sql("CREATE ROLE frozen LOGIN SUPERUSER");
    server.run_sql("ALTER ROLE frozen SET default_transaction_read_only = on");
    const auto as = [&](const std::string& user, const std::string& database) {
        return "postgresql://" + user + "@127.0.0.1:" + std::to_string(server.port()) + "/" +
               database;
    };
    expect_refusal({as("locked:wrong", "postgres"), errc::auth_failed, "password authentication"});
    server.run_sql("ALTER ROLE locked CONNECTION LIMIT 0");
    expect_refusal({as("locked:right", "postgres"), errc::not_connected, "too many connections"});
    expect_refusal({as("postgres", "none"), errc::not_connected, "\"none\" does not exist"});
    expect_refusal({as("frozen", "postgres"), errc::not_connected, "takes no writes"});
    expect_chroot(as("postgres", "postgres?chroot=/no/such"));
}
#endif

#ifdef TURNSTILE_WITH_MARIADB
TEST(refusals, of_mariadb) {
    testing::mariadb_server server;
    server.start();
    server.run_sql("CREATE USER locked IDENTIFIED BY 'right'; GRANT ALL ON turnstile.* TO locked");
    const auto as = [&](const std::string& user, const std::string& database) {
        return "mysql://" + user + "@127.0.0.1:" + std::to_string(server.port()) + "/" + database;
    };
    expect_refusal({as("locked:wrong", "turnstile"), errc::auth_failed, "Access denied"});
    server.run_sql("CREATE USER secured IDENTIFIED BY 'right' REQUIRE SSL");
    expect_refusal({as("secured:right", "turnstile"), errc::auth_failed, "Access denied"});
    const std::string another(64, '0');
    expect_refusal({as("locked:right", "turnstile?ssl_fp=" + another), errc::not_connected, "SSL"});
    server.run_sql(
        "CREATE USER crowded IDENTIFIED BY 'right' WITH MAX_USER_CONNECTIONS 1; "
        "GRANT ALL ON turnstile.* TO crowded");
    // Another program uses the only connection that the user may have. So the session's connections fail.
    const testing::process only_connection{
        {.command = {"mariadb", "--no-defaults", "--skip-ssl-verify-server-cert",
                     "--host=127.0.0.1", "--port=" + std::to_string(server.port()),
                     "--user=crowded", "--password=right", "--execute=SELECT SLEEP(3600)",
                     "turnstile"}}};
    EXPECT_TRUE(eventually([&] {
        return server
                   .run_sql(
                       "SELECT count(*) FROM information_schema.processlist WHERE user = "
                       "'crowded'")
                   .find('1') != std::string::npos;
    }));
    expect_refusal({as("crowded:right", "turnstile"), errc::not_connected, "max_user_connections"});
    expect_refusal({as("root", "none"), errc::not_connected, "Unknown database 'none'"});
    expect_chroot(as("root", "turnstile?chroot=/no/such"));
    server.run_sql("SET GLOBAL read_only = 1");
    expect_refusal({as("root", "turnstile"), errc::not_connected, "takes no writes (read_only)"});
}
#endif

}  // namespace
}  // namespace turnstile::tests
