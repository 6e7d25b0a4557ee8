// SPDX-License-Identifier: Apache-2.0
// Tests what a Redis server refuses, and what the library does then.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <future>
#include <thread>

#include "client/log_lines.hpp"
#include "redis/coordinator.hpp"
#include "redis_support.hpp"
#include "session_recorder.hpp"

namespace turnstile::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::unique_ptr<session_recorder> session_at(const redis_server& server) {
    auto session =
        std::make_unique<session_recorder>(redis::make_coordinator(server.connect_string()));
    session->attached();
    return session;
}

class refusals_of_redis : public on_redis {
protected:
    refusals_of_redis() : on_redis{"enable-debug-command yes\nlua-time-limit 50\n"} {}
    explicit refusals_of_redis(const std::string& config) : on_redis{config} {}

    // Returns a connect string for the server: `before`, its address, `behind`.
    [[nodiscard]] std::string where(const std::string& before,
                                    const std::string& behind = {}) const {
        return "redis://" + before + server.address() + behind;
    }
    [[nodiscard]] bool is_watched(const std::string& znode) const {
        return server.ask("HEXISTS {turnstile}:n w" + znode) == ":1";
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
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    EXPECT_EQ(servers->session().id, session);
}

TEST_F(refusals_of_redis, a_replica_is_left_and_a_master_again_is_taken_up) {
    const auto servers = connect(server.connect_string(), with_timeout(20s));
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    const auto session = servers->session().id;
    // The server now refuses writes and keeps its data, because it is a replica of a master that does not exist.
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
    ASSERT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    const log_lines log;
    auto busy =
        std::async(std::launch::async, [&] { return server.ask("EVAL \"while true do end\" 0"); });
    ASSERT_TRUE(eventually([&] { return server.ask("PING").starts_with("-BUSY"); }));
    auto next = std::async(std::launch::async, [&] { return lock.acquire({.timeout = limit()}); });
    EXPECT_TRUE(eventually([&] { return log.with("throttles") == 1; }));
    EXPECT_EQ(log.with("Redis: another client's script runs for long"), 1);
    EXPECT_EQ(server.ask("SCRIPT KILL"), "+OK");
    EXPECT_THAT(busy.get(), HasSubstr("-ERR"));
    const auto hold = next.get();
    EXPECT_TRUE(hold) << hold.error().message();
}

// If the watch remained, it would wake the session without need until the session ends.
TEST_F(refusals_of_redis, a_watch_that_a_busy_server_does_not_take_back_is_given_back_again) {
    const auto session = session_at(server);
    session->ask(core::exists_op{"/given-back", core::watch_mode::watch});
    session->ask(core::exists_op{"/kept", core::watch_mode::watch});
    auto busy =
        std::async(std::launch::async, [&] { return server.ask("EVAL \"while true do end\" 0"); });
    ASSERT_TRUE(eventually([&] { return server.ask("PING").starts_with("-BUSY"); }));
    session->session().forget_watches("/given-back");
    // The busy server refuses this read. So it has also refused the removal of the watch, which the client sent before.
    EXPECT_EQ(session->ask(core::get_op{"/kept"}).error, core::server_error::throttled);
    EXPECT_EQ(server.ask("SCRIPT KILL"), "+OK");
    busy.wait();
    EXPECT_TRUE(eventually([&] { return !is_watched("/given-back"); }));
    EXPECT_TRUE(is_watched("/kept"));
}

// The client gave the watch up without a connection, so it does not set the watch again. The server must drop it.
TEST_F(refusals_of_redis, a_watch_that_is_given_back_without_a_connection_is_kept_nowhere) {
    tcp_proxy proxy{server.address()};
    session_recorder session{redis::make_coordinator("redis://" + proxy.address())};
    const auto id = session.attached().session_id;
    static_cast<void>(session.ask(core::exists_op{"/given-back", core::watch_mode::watch}));
    static_cast<void>(session.ask(core::exists_op{"/kept", core::watch_mode::watch}));
    proxy.refuse();
    static_cast<void>(session.link(core::link_kind::detached));
    session.session().forget_watches("/given-back");
    proxy.accept();
    static_cast<void>(session.attached(2));
    EXPECT_EQ(server.ask("SMEMBERS {turnstile}:v:" + std::to_string(id)), "w/kept");
}

// The server refuses new contenders. Existing contenders must be able to continue and to release.
TEST_F(refusals_of_redis, a_server_without_memory_takes_no_contender_and_lets_go_of_those_it_has) {
    const auto servers = connect(server.connect_string());
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    mutex known{*servers, path + "/known"};
    ASSERT_TRUE(known.acquire({.timeout = limit()}).has_value()) << "its folder is there";
    const auto until = hold->valid_until();
    EXPECT_EQ(server.ask("CONFIG SET maxmemory 1"), "+OK");
    const auto full = known.acquire({.timeout = limit()});
    EXPECT_EQ(full.error(), errc::quota_exceeded);
    EXPECT_THAT(full.error().message(), HasSubstr("a quota, or their memory"));
    mutex another{*servers, path + "/another"};
    EXPECT_EQ(another.acquire({.timeout = limit()}).error(), errc::quota_exceeded);
    EXPECT_TRUE(eventually([&] { return hold->valid_until() > until; })) << "it is confirmed";
    EXPECT_TRUE(hold->release(limit()));
    EXPECT_EQ(server.ask("CONFIG SET maxmemory 0"), "+OK");
    EXPECT_TRUE(another.acquire({.timeout = limit()}).has_value());
    EXPECT_TRUE(known.acquire({.timeout = limit()}).has_value());
}

TEST_F(refusals_of_redis, a_server_that_evicts_is_refused_with_the_reason) {
    EXPECT_EQ(server.ask("CONFIG SET maxmemory-policy allkeys-lru"), "+OK");
    EXPECT_TRUE(is_refused(server.connect_string(), errc::not_connected,
                           "maxmemory-policy is 'allkeys-lru'"));
    client refused{server.connect_string(), with_timeout()};
    const auto beginning =
        "no server could be used in time: " + server.connect_string() + " (maxmemory-policy";
    EXPECT_TRUE(eventually([&] {
        return refused.wait_connected(100ms).error().message().starts_with(beginning);
    })) << "that nobody answered is said once";
    EXPECT_EQ(server.ask("CONFIG SET maxmemory-policy noeviction"), "+OK");
    connect(server.connect_string());
}

// Tests trees of other releases, which may have another layout of the keys. The field "v" contains the version of the
// layout.
class layouts_of_redis : public refusals_of_redis {
protected:
    [[nodiscard]] std::string version() const { return server.ask("HGET {turnstile}:n v"); }
    void set_version(const std::string& to) const {
        EXPECT_EQ(server.ask("HSET {turnstile}:n v " + to), ":0") << "it was there";
    }
    void lose_version() const { EXPECT_EQ(server.ask("HDEL {turnstile}:n v"), ":1"); }
    void cut_off_clients() const { EXPECT_NE(server.ask("CLIENT KILL TYPE normal"), ":0"); }
};

TEST_F(layouts_of_redis, a_tree_of_a_later_release_is_refused_and_left_as_it_is) {
    const std::string refusal =
        "the tree {turnstile} has keys of version 99; this release needs version 1";
    connect(server.connect_string());
    ASSERT_TRUE(eventually([&] { return server.ask("ZCARD {turnstile}:d") == ":0"; }));
    EXPECT_EQ(version(), "1");
    set_version("99");
    const auto tree = server.ask("HGETALL {turnstile}:n");
    EXPECT_TRUE(is_refused(server.connect_string(), errc::not_connected, refusal));
    EXPECT_EQ(server.ask("HGETALL {turnstile}:n"), tree);
    const auto servers = redis::make_coordinator(server.connect_string());
    EXPECT_THAT(servers->diagnose(), HasSubstr(refusal));
    connect(where("", "?tree=other"));
    set_version("1");
    connect(server.connect_string());
    EXPECT_THAT(servers->diagnose(), HasSubstr("it answers"));
}

TEST_F(layouts_of_redis, a_session_is_taken_up_at_a_tree_of_this_release_only) {
    const auto servers = connect(server.connect_string(), with_timeout(30s));
    const auto session = servers->session().id;
    const log_lines log;
    set_version("99");
    cut_off_clients();
    EXPECT_TRUE(eventually([&] { return log.with("has keys of version 99") >= 1; }));
    set_version("1");
    mutex lock{*servers, path};
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    EXPECT_EQ(servers->session().id, session);
}

// A tree that an older release created has no field "v" (the version of the keys' layout). The next attach must add it.
TEST_F(layouts_of_redis, a_tree_without_a_version_gets_it_with_the_next_attach) {
    const auto servers = connect(server.connect_string(), with_timeout(30s));
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    lose_version();
    const auto next = connect(server.connect_string());
    EXPECT_EQ(version(), "1");
    EXPECT_EQ(queue_length(*next, path), 1U) << "it is the same tree";
    lose_version();
    EXPECT_EQ(server.ask("CONFIG SET maxmemory 1"), "+OK");
    cut_off_clients();
    EXPECT_TRUE(eventually([&] { return version() == "1"; })) << "a session is taken up";
    EXPECT_TRUE(hold->release(limit()));
}

// A server whose only command is INFO.
class old_redis {
public:
    old_redis() {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto* const address = reinterpret_cast<sockaddr*>(&at);
        socklen_t size = sizeof at;
        EXPECT_EQ(::bind(listener_, address, size), 0);
        EXPECT_EQ(::listen(listener_, 8), 0);
        EXPECT_EQ(::getsockname(listener_, address, &size), 0);
        connect_string = "redis://127.0.0.1:" + std::to_string(ntohs(at.sin_port));
        thread_ = std::thread{[this] { serve(); }};
    }
    ~old_redis() {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
    }
    old_redis(const old_redis&) = delete;
    old_redis& operator=(const old_redis&) = delete;

    std::string connect_string;

private:
    void serve() const {
        constexpr std::string_view k_info = "redis_version:5.0.14\r\nrole:master\r\n";
        const auto reply =
            "$" + std::to_string(k_info.size()) + "\r\n" + std::string{k_info} + "\r\n";
        std::array<char, 1000> request{};
        for (;;) {
            const int from = ::accept(listener_, nullptr, nullptr);
            if (from < 0) return;
            while (::read(from, request.data(), request.size()) > 0)
                EXPECT_EQ(::send(from, reply.data(), reply.size(), MSG_NOSIGNAL),
                          static_cast<ssize_t>(reply.size()));
            ::close(from);
        }
    }

    const int listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    std::thread thread_;
};

TEST(refusals_of_old_redis, are_told_by_their_own_code) {
    const old_redis server;
    EXPECT_TRUE(is_refused(server.connect_string, errc::server_too_old,
                           "Redis 5.0.14 is too old: 6.0 or later is needed"));
}

TEST_F(refusals_of_redis, a_database_that_is_not_there_is_named) {
    EXPECT_TRUE(is_refused(where("", "?db=1000"), errc::not_connected,
                           "SELECT 1000: ERR DB index is out of range"));
}

TEST_F(refusals_of_redis, a_wrong_password_and_a_user_without_rights_are_told_at_once) {
    std::vector<std::string> refused{"locks:wrong@", "reader:secret@", "nobody:secret@"};
    EXPECT_EQ(server.ask("ACL SETUSER locks on >secret ~{turnstile}* +@all -@admin -@dangerous "
                         "+info" +
                         only_channels("{turnstile}*")),
              "+OK");
    EXPECT_EQ(server.ask("ACL SETUSER reader on >secret ~* +@read +@connection +info" +
                         only_channels("*")),
              "+OK");
    if (has_redis_version(6, 2)) {
        EXPECT_EQ(server.ask("ACL SETUSER deaf on >secret ~* resetchannels +@all"), "+OK");
        refused.emplace_back("deaf:secret@");
    }
    const auto servers = connect(where("locks:secret@"));
    EXPECT_TRUE((mutex{*servers, path}.acquire({.timeout = limit()}).has_value()));
    EXPECT_THAT(servers->promises().exclusion, exclusion_promise::best_effort);
    for (const auto& user : refused)
        EXPECT_TRUE(is_refused(where(user), errc::auth_failed)) << user;
}

// A script that ends a session is aborted, and its changes remain. The next script must end that session.
TEST_F(refusals_of_redis, an_end_of_a_session_that_is_broken_off_is_repeated) {
    const std::string rights =
        "ACL SETUSER locks reset on >secret ~{turnstile}* +@all -@admin -@dangerous +info" +
        only_channels("{turnstile}*");
    ASSERT_EQ(server.ask(rights), "+OK");
    for (const std::string right : {"-hdel", "-smembers", "-srem", "-del"}) {
        tcp_proxy proxy{server.address(), testing::traffic::bytes};
        auto brief = with_timeout(1s);
        brief.close_timeout = 1ms;
        const auto cut_off = connect("redis://locks:secret@" + proxy.address(), brief);
        auto hold = mutex{*cut_off, path}.acquire({.timeout = limit()});
        ASSERT_TRUE(hold) << hold.error().message();
        proxy.refuse();
        EXPECT_EQ(server.ask(rights + " " + right), "+OK");
        // The attach of any client ends the expired sessions.
        EXPECT_TRUE(eventually([&] {
            client next{where("locks:secret@"), with_timeout()};
            const auto connected = next.wait_connected(1s);
            return !connected && connected.error() == errc::auth_failed;
        })) << right;
        EXPECT_EQ(server.ask(rights), "+OK");
        const auto later = connect(where("locks:secret@"), with_timeout());
        EXPECT_TRUE((mutex{*later, path}.acquire({.timeout = limit()}).has_value())) << right;
    }
}

class password_of_redis : public refusals_of_redis {
protected:
    password_of_redis() : refusals_of_redis{"requirepass secret\n"} {}
};

TEST_F(password_of_redis, it_is_needed_and_in_no_message) {
    EXPECT_TRUE(is_refused(where(""), errc::auth_failed));
    const auto servers = connect(where(":secret@"));
    EXPECT_TRUE((mutex{*servers, path}.acquire({.timeout = limit()}).has_value()));
    server.stop();
    client away{where(":secret@"), with_timeout()};
    const auto late = mutex{away, path}.acquire({.timeout = 100ms});
    EXPECT_THAT(late.error().message(), Not(HasSubstr("secret")));
}

class redis_without_auth : public refusals_of_redis {
protected:
    redis_without_auth() : refusals_of_redis{"rename-command AUTH \"\"\n"} {}
};

// The server's error repeats the arguments of an unknown command, here the password.
TEST_F(redis_without_auth, does_not_bring_the_password_into_a_message) {
    client refused{where(":secret@"), with_timeout()};
    std::string message;
    EXPECT_TRUE(eventually([&] {
        message = refused.wait_connected(100ms).error().message();
        return message.find("AUTH: " + unknown_command("AUTH")) != std::string::npos;
    }));
    EXPECT_THAT(message, Not(HasSubstr("secret")));
}

class loading_redis : public refusals_of_redis {
protected:
    // The delay is in microseconds per key. The server answers its clients after every thousand keys.
    loading_redis() : refusals_of_redis{std::string{k_durable} + "key-load-delay 300"} {}
};

TEST_F(loading_redis, is_waited_for) {
    const auto servers = connect(server.connect_string(), with_timeout(60s));
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

}  // namespace
}  // namespace turnstile::tests
