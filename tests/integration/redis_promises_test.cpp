// SPDX-License-Identifier: Apache-2.0
// Tests that the result of client::promises() for a Redis server follows from the server's settings.
#include <gmock/gmock.h>

#include "client/log_lines.hpp"
#include "redis_support.hpp"

namespace turnstile::tests {
namespace {

using ::testing::HasSubstr;

class promises_of_redis : public on_redis {
protected:
    promises_of_redis() : on_redis{k_durable} {}
};

TEST_F(promises_of_redis, depend_on_what_the_server_keeps) {
    const auto servers = connect(server.connect_string(), with_timeout());
    EXPECT_EQ(servers->promises().exclusion, exclusion_promise::leased);
    EXPECT_EQ(servers->promises().token, token_promise::grows_across_lost_data);
    client_options strict = with_timeout();
    strict.require.exclusion = exclusion_promise::leased;
    EXPECT_NO_THROW((client{server.connect_string(), strict}));
    EXPECT_EQ(server.ask("CONFIG SET no-appendfsync-on-rewrite yes"), "+OK");
    EXPECT_EQ(servers->promises().exclusion, exclusion_promise::best_effort);
    EXPECT_EQ(server.ask("CONFIG SET no-appendfsync-on-rewrite no"), "+OK");
    EXPECT_EQ(server.ask("CONFIG SET appendfsync everysec"), "+OK");
    EXPECT_EQ(servers->promises().exclusion, exclusion_promise::best_effort);
    try {
        const client refused{server.connect_string(), strict};
        FAIL() << "not refused";
    } catch (const std::system_error& failure) {
        EXPECT_EQ(failure.code(), make_error_code(errc::bad_option));
        EXPECT_THAT(failure.what(),
                    HasSubstr("exclusion: leased is required, best_effort is promised"));
    }
}

// An operator changes the server's settings during a session. The session attaches again when the settings are back.
TEST_F(promises_of_redis, that_are_required_are_judged_at_each_attach) {
    client_options strict = with_timeout();
    strict.require.exclusion = exclusion_promise::leased;
    const auto servers = connect(server.connect_string(), strict);
    const auto session = servers->session().id;
    EXPECT_EQ(server.ask("CONFIG SET appendfsync everysec"), "+OK");
    const log_lines log;
    EXPECT_NE(server.ask("CLIENT KILL TYPE normal SKIPME yes"), ":0");
    EXPECT_TRUE(eventually([&] { return log.with("leased is required") == 1; }));
    EXPECT_EQ(servers->state(), session_state::suspended);
    EXPECT_EQ(server.ask("CONFIG SET appendfsync always"), "+OK");
    EXPECT_TRUE(servers->wait_connected(limit()));
    EXPECT_EQ(servers->session().id, session);
}

}  // namespace
}  // namespace turnstile::tests
