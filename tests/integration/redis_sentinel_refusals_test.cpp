// SPDX-License-Identifier: Apache-2.0
// Tests sentinels that refuse the client, and connect strings that name a server that is no sentinel. Each test checks
// the error and its message.
#include "client/log_lines.hpp"
#include "redis_support.hpp"

namespace turnstile::tests {
namespace {

// A sentinel with a password, and the server that it watches.
class sentinel_refusals : public on_redis {
protected:
    sentinel_refusals() { sentinel.start(); }

    [[nodiscard]] std::string where(const std::string& behind) const {
        return "redis+sentinel://" + sentinel.address() + behind;
    }

    redis_server sentinel{{.config = "sentinel monitor locks 127.0.0.1 " +
                                     std::to_string(server.port()) +
                                     " 1\nuser watcher on >secret +@all allchannels\n"
                                     "requirepass secret\n",
                           .sentinel = true}};
};

TEST_F(sentinel_refusals, a_password_is_needed_and_in_no_message) {
    const log_lines log;
    EXPECT_TRUE(is_refused(where("/locks"), errc::auth_failed));
    EXPECT_EQ(log.with("NOAUTH"), 1);
    EXPECT_TRUE(is_refused(where("/locks?sentinel_password=wrong"), errc::auth_failed));
    EXPECT_EQ(log.with("WRONGPASS"), 1);
    EXPECT_EQ(log.with("=wrong"), 0);
    const auto session = connect(where("/locks?sentinel_password=secret"));
    EXPECT_TRUE((mutex{*session, path}.acquire({.timeout = limit()}).has_value()));
}

TEST_F(sentinel_refusals, users_log_in_since_redis_6_2) {
    const auto login = where("/locks?sentinel_username=watcher&sentinel_password=secret");
    if (!has_redis_version(6, 2)) {
        EXPECT_TRUE(is_refused(login, errc::not_connected,
                               "AUTH: ERR wrong number of arguments for 'auth' command"));
        return;
    }
    const auto session = connect(login);
    EXPECT_TRUE((mutex{*session, path}.acquire({.timeout = limit()}).has_value()));
    EXPECT_TRUE(is_refused(where("/locks?sentinel_username=other&sentinel_password=secret"),
                           errc::auth_failed));
}

TEST_F(sentinel_refusals, a_server_s_password_is_not_a_sentinel_s) {
    ASSERT_EQ(server.ask("CONFIG SET requirepass server"), "+OK");
    EXPECT_TRUE(is_refused(where("/locks?sentinel_password=secret"), errc::auth_failed));
    connect("redis+sentinel://:server@" + sentinel.address() + "/locks?sentinel_password=secret");
}

// The client tries again with new connections, because an operator may have corrected the fault.
TEST_F(sentinel_refusals, one_of_several_is_heard_once_and_asked_again) {
    redis_server stranger{{.config = "sentinel monitor locks 127.0.0.1 " +
                                     std::to_string(server.port()) + " 1\nrequirepass other\n",
                           .sentinel = true}};
    stranger.start();
    const tcp_proxy way{stranger.address(), testing::traffic::bytes};
    const log_lines log;
    const auto session = connect("redis+sentinel://" + sentinel.address() + ',' + way.address() +
                                     "/locks?sentinel_password=secret",
                                 with_timeout(1s));
    const auto before = way.accepted();
    EXPECT_TRUE(eventually([&] { return way.accepted() > before + 2; }));
    EXPECT_TRUE(flush_log(limit()));
    EXPECT_EQ(log.with("sentinel " + way.address()), 1);
    EXPECT_EQ(log.with("sentinel " + way.address() + ": AUTH: WRONGPASS"), 1);
}

TEST_F(sentinel_refusals, a_name_that_no_sentinel_knows) {
    EXPECT_TRUE(is_refused(where("/others?sentinel_password=secret"), errc::not_connected,
                           "SENTINEL MASTER others: ERR No such master with that name"));
}

TEST_F(sentinel_refusals, a_server_in_the_place_of_a_sentinel_and_the_other_way_round) {
    EXPECT_TRUE(is_refused("redis+sentinel://" + server.address() + "/locks", errc::not_connected,
                           unknown_command("SENTINEL")));
    EXPECT_TRUE(is_refused("redis://:secret@" + sentinel.address(), errc::not_connected,
                           "the server is a sentinel: write redis+sentinel://"));
}

TEST_F(sentinel_refusals, sentinels_that_are_away_are_named) {
    sentinel.stop();
    const log_lines log;
    client early{where("/locks?sentinel_password=secret"), with_timeout()};
    EXPECT_TRUE(eventually(
        [&] { return log.with("sentinel " + sentinel.address() + ": Connection refused") == 1; }));
    sentinel.start();
    EXPECT_TRUE(early.wait_connected(limit()));
}

}  // namespace
}  // namespace turnstile::tests
