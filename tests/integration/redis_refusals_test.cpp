// SPDX-License-Identifier: Apache-2.0
// What a Redis server refuses, and what is made of it.
#include <future>

#include "client/log_lines.hpp"
#include "redis_support.hpp"

namespace turnstile::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class refusals_of_redis : public on_redis {
protected:
    refusals_of_redis() : on_redis{"enable-debug-command yes\nlua-time-limit 50\n"} {}
    explicit refusals_of_redis(const std::string& config) : on_redis{config} {}

    // The whole connect string: `before` the address, `behind` it.
    [[nodiscard]] std::string where(const std::string& before,
                                    const std::string& behind = {}) const {
        return "redis://" + before + server.address() + behind;
    }
    // What a client of this server is told, once it is `wanted`.
    static bool is_refused(const std::string& connect_string, errc wanted,
                           const std::string& words = {}) {
        client refused{connect_string, with_timeout()};
        return eventually([&] {
            const auto connected = refused.wait_connected(100ms);
            return !connected && connected.error() == wanted &&
                   connected.error().message().find(words) != std::string::npos;
        });
    }
};

TEST_F(refusals_of_redis, scripts_that_were_thrown_away_are_brought_again) {
    const auto servers = connect(server.connect_string());
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    const auto session = servers->session().id;
    EXPECT_EQ(server.ask("SCRIPT FLUSH"), "+OK");
    EXPECT_TRUE(hold->release(limit()));
    EXPECT_TRUE(lock.acquire({.timeout = limit()}));
    EXPECT_EQ(servers->session().id, session);
}

TEST_F(refusals_of_redis, a_replica_is_left_and_a_master_again_is_taken_up) {
    const auto servers = connect(server.connect_string(), with_timeout(20s));
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    const auto session = servers->session().id;
    // Of a master that does not exist: the data stay as they are.
    EXPECT_EQ(server.ask("REPLICAOF 127.0.0.1 1"), "+OK");
    auto released = std::async(std::launch::async, [&] { return hold->release(limit()); });
    ASSERT_TRUE(eventually([&] { return servers->state() == session_state::suspended; }));
    EXPECT_EQ(server.ask("REPLICAOF NO ONE"), "+OK");
    EXPECT_TRUE(released.get());
    EXPECT_EQ(servers->session().id, session);
}

TEST_F(refusals_of_redis, a_server_that_is_busy_is_asked_again) {
    const auto servers = connect(server.connect_string(), with_timeout(20s));
    mutex lock{*servers, path};
    ASSERT_TRUE(lock.acquire({.timeout = limit()}));
    const log_lines log;
    auto busy =
        std::async(std::launch::async, [&] { return server.ask("EVAL \"while true do end\" 0"); });
    ASSERT_TRUE(eventually([&] { return server.ask("PING").starts_with("-BUSY"); }));
    auto next = std::async(std::launch::async, [&] { return lock.acquire({.timeout = limit()}); });
    EXPECT_TRUE(eventually([&] { return log.with("throttles") == 1; }));
    EXPECT_EQ(server.ask("SCRIPT KILL"), "+OK");
    EXPECT_THAT(busy.get(), HasSubstr("-ERR"));
    const auto hold = next.get();
    EXPECT_TRUE(hold) << hold.error().message();
}

// New contenders are refused; those that are there go on, and release.
TEST_F(refusals_of_redis, a_server_without_memory_takes_no_contender_and_lets_go_of_those_it_has) {
    const auto servers = connect(server.connect_string());
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    mutex known{*servers, path + "/known"};
    ASSERT_TRUE(known.acquire({.timeout = limit()})) << "its folder is there";
    const auto until = hold->valid_until();
    EXPECT_EQ(server.ask("CONFIG SET maxmemory 1"), "+OK");
    EXPECT_EQ(known.acquire({.timeout = limit()}).error(), errc::quota_exceeded);
    mutex another{*servers, path + "/another"};
    EXPECT_EQ(another.acquire({.timeout = limit()}).error(), errc::quota_exceeded);
    EXPECT_TRUE(eventually([&] { return hold->valid_until() > until; })) << "it is confirmed";
    EXPECT_TRUE(hold->release(limit()));
    EXPECT_EQ(server.ask("CONFIG SET maxmemory 0"), "+OK");
    EXPECT_TRUE(another.acquire({.timeout = limit()}));
    EXPECT_TRUE(known.acquire({.timeout = limit()}));
}

TEST_F(refusals_of_redis, a_server_that_evicts_is_refused_with_the_reason) {
    EXPECT_EQ(server.ask("CONFIG SET maxmemory-policy allkeys-lru"), "+OK");
    EXPECT_TRUE(is_refused(server.connect_string(), errc::not_connected,
                           "maxmemory-policy is 'allkeys-lru'"));
    EXPECT_EQ(server.ask("CONFIG SET maxmemory-policy noeviction"), "+OK");
    connect(server.connect_string());
}

TEST_F(refusals_of_redis, a_database_that_is_not_there_is_named) {
    EXPECT_TRUE(is_refused(where("", "?db=1000"), errc::not_connected,
                           "SELECT 1000: ERR DB index is out of range"));
}

TEST_F(refusals_of_redis, a_wrong_password_and_a_user_without_rights_are_told_at_once) {
    EXPECT_EQ(server.ask("ACL SETUSER locks on >secret ~{turnstile}* &{turnstile}* +@all -@admin "
                         "-@dangerous +info"),
              "+OK");
    EXPECT_EQ(server.ask("ACL SETUSER reader on >secret ~* &* +@read +@connection +info"), "+OK");
    EXPECT_EQ(server.ask("ACL SETUSER deaf on >secret ~* resetchannels +@all"), "+OK");
    const auto servers = connect(where("locks:secret@"));
    EXPECT_TRUE((mutex{*servers, path}.acquire({.timeout = limit()})));
    EXPECT_THAT(servers->promises().exclusion, exclusion_promise::best_effort);
    for (const char* user : {"locks:wrong@", "reader:secret@", "deaf:secret@", "nobody:secret@"})
        EXPECT_TRUE(is_refused(where(user), errc::auth_failed)) << user;
}

class password_of_redis : public refusals_of_redis {
protected:
    password_of_redis() : refusals_of_redis{"requirepass secret\n"} {}
};

TEST_F(password_of_redis, it_is_needed_and_in_no_message) {
    EXPECT_TRUE(is_refused(where(""), errc::auth_failed));
    const auto servers = connect(where(":secret@"));
    EXPECT_TRUE((mutex{*servers, path}.acquire({.timeout = limit()})));
    server.stop();
    client away{where(":secret@"), with_timeout()};
    const auto late = mutex{away, path}.acquire({.timeout = 100ms});
    EXPECT_THAT(late.error().message(), Not(HasSubstr("secret")));
}

class loading_redis : public refusals_of_redis {
protected:
    // So many microseconds for each key; between a thousand of them the server looks at its clients.
    loading_redis() : refusals_of_redis{std::string{k_durable} + "key-load-delay 300"} {}
};

TEST_F(loading_redis, is_waited_for) {
    const auto servers = connect(server.connect_string(), with_timeout(20s));
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    EXPECT_EQ(server.ask("EVAL \"for i = 1, 4000 do redis.call('SET', 'k' .. i, i) end\" 0"),
              "$-1");
    const log_lines log;
    server.kill();
    server.start();
    EXPECT_TRUE(hold->release(limit()));
    EXPECT_TRUE(eventually([&] { return log.with("LOADING") >= 1; })) << server.log();
}

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

}  // namespace
}  // namespace turnstile::tests
