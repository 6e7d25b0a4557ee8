// SPDX-License-Identifier: Apache-2.0
// Why no server could be used, by the lines of the log.
#include "cli/failure_reason.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace turnstile::cli {
namespace {

// What is said of servers that could not be used in time, after warnings like these.
std::string said(const std::string& servers, std::initializer_list<const char*> lines) {
    failure_reason reason;
    for (const auto* line : lines) reason.hear(log_level::warning, line);
    return reason.explain({errc::not_connected, servers}).detail();
}

TEST(failure_reason, stands_behind_the_servers_that_it_is_of) {
    EXPECT_EQ(said("redis://a:1", {}), "redis://a:1");
    EXPECT_EQ(said("redis://a:1", {"redis://a:1: Connection refused"}),
              "redis://a:1 (Connection refused)");
    EXPECT_EQ(said("a:1,b:1", {"b:1: Connection refused"}), "a:1,b:1 (b:1: Connection refused)");
    EXPECT_EQ(said("postgresql://u@a/b", {"session 0x0: postgresql://u@a/b: FATAL:  3D000: none"}),
              "postgresql://u@a/b (FATAL:  3D000: none)");
}

TEST(failure_reason, is_told_once) {
    EXPECT_EQ(said("/f: is no SQLite file", {"session 0x0: /f: is no SQLite file"}),
              "/f: is no SQLite file");
    EXPECT_EQ(said("a:1: Name not known", {"cannot open a session: none: a:1: Name not known"}),
              "a:1: Name not known");
}

TEST(failure_reason, of_zookeepers_client) {
    failure_reason reason;
    const error failure{errc::not_connected, "10.0.0.7:2181"};
    reason.hear(log_level::info,
                "ZooKeeper client: Socket 10.0.0.7:2181 zk retcode=-4, errno=111(Connection "
                "refused): server refused to accept the client");
    reason.hear(log_level::info, "ZooKeeper client: Delaying connection after exhaustively trying");
    EXPECT_EQ(reason.explain(failure).detail(),
              "10.0.0.7:2181 (Connection refused: server refused to accept the client)");
    for (const auto* line : {"ZooKeeper client: Socket ", "ZooKeeper client: Socket errno=("})
        reason.hear(log_level::info, line);
    EXPECT_EQ(reason.explain(failure).code(), errc::not_connected);
}

TEST(failure_reason, that_the_library_has_found_out_itself) {
    EXPECT_EQ(said("postgresql://u@a/b", {"no session with postgresql://u@a/b for 5 s: "
                                          "postgresql://u@a/b: FATAL:  3D000: none"}),
              "postgresql://u@a/b (FATAL:  3D000: none)");
    EXPECT_EQ(said("a:1,b:1", {"no session with a:1,b:1 for 5 s: a:1: refused; b:1: serves nobody",
                               "ZooKeeper client: Socket b:1 zk retcode=-4, errno=112(Host is "
                               "down): failed while receiving a server response"}),
              "a:1,b:1 (a:1: refused; b:1: serves nobody)");
}

TEST(failure_reason, of_credentials_that_are_refused) {
    failure_reason reason;
    reason.hear(log_level::error, "redis://a:1: AUTH: WRONGPASS");
    reason.hear(log_level::warning, "session 0.1: connecting -> auth_failed: they refused");
    EXPECT_EQ(reason.explain({errc::auth_failed}),
              (error{errc::auth_failed, "redis://a:1: AUTH: WRONGPASS"}));
}

TEST(failure_reason, is_none_that_came_before_a_connection_or_from_elsewhere) {
    EXPECT_EQ(said("redis://a:1", {"redis://a:1: Connection refused",
                                   "session 0.1: connecting -> connected: attached to a:1"}),
              "redis://a:1");
    EXPECT_EQ(said("redis://a:1", {"redis://a:1: the outage of 10 s is over"}), "redis://a:1");
    EXPECT_EQ(said("redis://a:1", {"no guardian at x: gone"}), "redis://a:1");
}

}  // namespace
}  // namespace turnstile::cli
