// SPDX-License-Identifier: Apache-2.0
// Tests locks on a Redis server when a process or the server dies or stops, or when a connection breaks.
#include <sys/mman.h>

#include <atomic>
#include <fstream>
#include <future>

#include "contract/probe.hpp"
#include "redis/coordinator.hpp"
#include "redis_support.hpp"
#include "session_recorder.hpp"
#include "turnstile/testing/process.hpp"

namespace turnstile::tests {
namespace {

constexpr auto k_short = 3s;

class failures_on_redis : public on_redis {
protected:
    failures_on_redis() : on_redis{std::string{k_durable} + "enable-debug-command yes\n"} {}

    std::unique_ptr<testing::process> holder() {
        auto child = std::make_unique<testing::process>(testing::process_options{
            .command = {TURNSTILE_CONTENDER, server.connect_string(), path,
                        std::to_string(std::chrono::milliseconds{k_short}.count()), "hold",
                        folder.path().string()},
            .output = folder.path() / "holder"});
        EXPECT_TRUE(child->wait_for_output("grant "));
        return child;
    }
    // Returns the end of the holder's lease, which the holder writes into a file.
    boottime_clock::time_point lease_of_holder() const {
        std::int64_t end = 0;
        std::ifstream{folder.path() / "lease", std::ios::binary}.read(reinterpret_cast<char*>(&end),
                                                                      sizeof end);
        return boottime_clock::time_point{boottime_clock::duration{end}};
    }

    const testing::temporary_folder folder;
    std::unique_ptr<client> observer = connect(server.connect_string());
    mutex lock{*observer, path};
};

// The server does not notice that a process died. So the waiter gets the lock when the holder's session expires.
TEST_F(failures_on_redis, a_killed_holder_s_lock_is_free_after_its_session_timeout) {
    const auto dying = holder();
    auto next = std::async(std::launch::async, [&] { return lock.acquire({.timeout = limit()}); });
    ASSERT_TRUE(becomes_size(*observer, path, 2));
    dying->kill();
    const auto hold = next.get();
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_GT(boottime_clock::now(), lease_of_holder());
}

// After the holder's death only the client `patient` is left. The next regular request of `patient` is due only after a
// third of the session timeout of 300 s.
TEST_F(failures_on_redis, a_waiter_comes_back_at_the_deadline_of_the_one_ahead) {
    const auto dying = holder();
    const auto patient = connect(server.connect_string(), with_timeout(300s));
    mutex same{*patient, path};
    auto next = std::async(std::launch::async, [&] { return same.acquire({.timeout = 90s}); });
    ASSERT_TRUE(becomes_size(*observer, path, 2));
    observer.reset();
    dying->kill();
    const auto hold = next.get();
    EXPECT_TRUE(hold) << hold.error().message();
}

// The tree's field "d" contains an instant, and the scripts assume that no session expires before that instant. So a
// new session that will expire earlier must lower "d".
TEST_F(failures_on_redis, no_session_ends_before_the_instant_that_scripts_go_by) {
    const auto is_kept = [&] {
        return server.ask(
            "EVAL \"return tonumber(redis.call('HGET', KEYS[1], 'd')) <= "
            "tonumber(redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2])\" "
            "2 {turnstile}:n {turnstile}:d");
    };
    observer.reset();
    EXPECT_EQ(server.ask("FLUSHALL"), "+OK");
    const auto patient = connect(server.connect_string(), with_timeout(300s));
    EXPECT_EQ(is_kept(), ":1");
    const auto servers = redis::make_coordinator(server.connect_string());
    const contract::probe hasty{*servers};  // this session sends no request
    EXPECT_EQ(is_kept(), ":1");
}

// Promises G1 and G5: the holder's lease must end, without a message from the server, before another client gets the
// lock.
TEST_F(failures_on_redis, a_paused_holder_has_lost_before_the_next_is_granted) {
    const auto stopped = holder();
    auto next = std::async(std::launch::async, [&] {
        auto hold = lock.acquire({.timeout = limit()});
        return std::pair{boottime_clock::now(), std::move(hold)};
    });
    ASSERT_TRUE(becomes_size(*observer, path, 2));
    stopped->pause();
    const auto [granted_at, hold] = next.get();
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_LT(lease_of_holder(), granted_at);
    stopped->resume();
    const auto last = lease_of_holder();
    EXPECT_LT(last, granted_at) << "no lease of a session that is over is renewed";
}

TEST_F(failures_on_redis,
       a_waiter_and_a_holder_outlive_a_server_that_is_killed_and_keeps_its_data) {
    const auto patient = connect(server.connect_string(), with_timeout(20s));
    mutex theirs{*patient, path};
    auto hold = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    const auto session = patient->session().id;
    const auto waiting_client = connect(server.connect_string(), with_timeout(20s));
    mutex waiting_lock{*waiting_client, path};
    auto next =
        std::async(std::launch::async, [&] { return waiting_lock.acquire({.timeout = limit()}); });
    ASSERT_TRUE(becomes_size(*patient, path, 2));
    server.kill();
    ASSERT_TRUE(eventually([&] { return patient->state() == session_state::suspended; }));
    EXPECT_TRUE(hold->valid()) << "the session has time left";
    server.start();
    ASSERT_TRUE(eventually([&] { return patient->state() == session_state::connected; }));
    EXPECT_EQ(patient->session().id, session);
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->release(limit()));
    EXPECT_TRUE(next.get().has_value());
}

// The server has forgotten the tokens that it gave out, and must give larger tokens than before.
TEST_F(failures_on_redis, a_server_that_lost_its_data_gives_greater_tokens) {
    fencing_token before;
    {
        auto hold = lock.acquire({.timeout = limit()});
        ASSERT_TRUE(hold);
        before = hold->fencing_token();
        EXPECT_EQ(server.ask("FLUSHALL"), "+OK");
        EXPECT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
    }
    const auto again = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_GT(again->fencing_token(), before);
}

// A Redis server whose last replica is away for long changes its replication id, and keeps its data. A session that is
// connected during the change adopts the new id at its next write.
TEST_F(failures_on_redis, a_server_with_another_replication_id_ends_no_session) {
    tcp_proxy proxy{server.address(), testing::traffic::bytes};
    const auto patient = connect("redis://" + proxy.address(), with_timeout(30s));
    mutex theirs{*patient, path};
    auto hold = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    const auto session = patient->session().id;
    ASSERT_EQ(server.ask("DEBUG CHANGE-REPL-ID"), "+OK");
    connect(server.connect_string());
    const auto other = mutex{*patient, path + "/other"}.acquire({.timeout = limit()});
    ASSERT_TRUE(other) << other.error().message();
    proxy.refuse();
    ASSERT_TRUE(eventually([&] { return patient->state() == session_state::suspended; }));
    proxy.accept();
    ASSERT_TRUE(eventually([&] { return patient->state() == session_state::connected; }));
    EXPECT_EQ(patient->session().id, session);
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->release(limit()));
}

TEST_F(failures_on_redis, a_server_that_stands_still_suspends_and_comes_back) {
    const auto patient = connect(server.connect_string(), with_timeout(3s));
    mutex theirs{*patient, path};
    auto hold = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    server.pause();
    ASSERT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
    EXPECT_FALSE(hold->valid());
    server.resume();
    const auto again = theirs.acquire({.timeout = limit()});
    EXPECT_TRUE(again) << again.error().message();
}

// Two thirds of the session timeout are longer than the test, so only the connection timeout can end the connection.
TEST_F(failures_on_redis, a_connection_that_falls_silent_costs_the_connection_timeout) {
    tcp_proxy proxy{server.address(), testing::traffic::bytes};
    auto options = with_timeout(10min);
    options.connection_timeout = testing::scaled(3s);
    const auto stranded = connect("redis://" + proxy.address(), options);
    mutex same{*stranded, path};
    auto hold = same.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto id = stranded->session().id;
    proxy.strand();
    EXPECT_TRUE(hold->release(limit()));
    EXPECT_EQ(stranded->session().id, id);
}

// The server creates the contender's znode, and the reply is lost. The client must find its contender, and not create a
// second contender.
TEST_F(failures_on_redis, a_lost_reply_leaves_no_second_contender) {
    tcp_proxy proxy{server.address()};
    const auto cut_off = connect("redis://" + proxy.address(), with_timeout(20s));
    mutex theirs{*cut_off, path};
    ASSERT_TRUE(theirs.acquire({.timeout = limit()}).has_value()) << "the folder is there";
    for (int i = 0; i != 20; ++i) {
        proxy.black_hole(testing::direction::to_client);
        auto granted =
            std::async(std::launch::async, [&] { return theirs.acquire({.timeout = limit()}); });
        ASSERT_TRUE(becomes_size(*observer, path, 1));
        proxy.cut();
        proxy.pass();
        auto hold = granted.get();
        ASSERT_TRUE(hold) << hold.error().message();
        EXPECT_EQ(queue_length(*observer, path), 1U);
        ASSERT_TRUE(hold->release(limit()));
        ASSERT_TRUE(becomes_size(*observer, path, 0));
    }
}

// When the client connects again, it gets the events that it missed.
TEST_F(failures_on_redis, a_waiter_hears_of_a_release_that_it_missed) {
    tcp_proxy proxy{server.address()};
    const auto cut_off = connect("redis://" + proxy.address(), with_timeout(20s));
    mutex theirs{*cut_off, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    auto next =
        std::async(std::launch::async, [&] { return theirs.acquire({.timeout = limit()}); });
    ASSERT_TRUE(becomes_size(*observer, path, 2));
    proxy.refuse();
    ASSERT_TRUE(eventually([&] { return cut_off->state() == session_state::suspended; }));
    ASSERT_TRUE(hold->release(limit()));
    proxy.accept();
    const auto granted = next.get();
    EXPECT_TRUE(granted) << granted.error().message();
}

// Tests each kind of watch through the coordinator interface. After a reconnect, the client sets a watch again unless
// its event happened meanwhile.
TEST_F(failures_on_redis, watches_outlive_a_connection) {
    tcp_proxy proxy{server.address()};
    const auto through_proxy = redis::make_coordinator("redis://" + proxy.address());
    const auto direct = redis::make_coordinator(server.connect_string());
    contract::probe watcher{*through_proxy};
    contract::probe other{*direct};
    for (const char* name : {"/a", "/b", "/kept"}) other.ask(core::create_op{name});
    watcher.ask(core::get_op{"/a", core::watch_mode::watch});
    watcher.ask(core::exists_op{"/none", core::watch_mode::watch});
    watcher.ask(core::children_op{"/b", core::watch_mode::watch});
    watcher.ask(core::get_op{"/kept", core::watch_mode::watch});
    proxy.refuse();
    other.ask(core::remove_op{"/a"});
    other.ask(core::create_op{"/none"});
    other.ask(core::create_op{"/b/x"});
    proxy.accept();
    EXPECT_EQ(watcher.next_event(), "deleted /a");
    EXPECT_EQ(watcher.next_event(), "created /none");
    EXPECT_EQ(watcher.next_event(), "children /b");
    other.ask(core::set_op{"/kept", "new"});
    EXPECT_EQ(watcher.next_event(), "changed /kept");
}

// A script can pass only about 8,000 values to a command, and this session has more znodes.
TEST_F(failures_on_redis, a_session_with_thousands_of_znodes_ends_with_all_of_them) {
    const auto servers = redis::make_coordinator(server.connect_string());
    contract::probe other{*servers};
    other.ask(core::create_op{"/many"});
    contract::probe owner{*servers};
    for (int batch = 0; batch != 10; ++batch) {
        core::multi_op all;
        for (int i = 0; i != 1000; ++i)
            all.parts.emplace_back(core::create_op{"/many/" + std::to_string(1000 * batch + i), "",
                                                   core::create_mode::ephemeral});
        ASSERT_EQ(owner.ask(all).error, core::server_error::ok);
    }
    ASSERT_EQ(other.ask(core::children_op{"/many"}).children.size(), 10'000U);
    owner.close();
    EXPECT_TRUE(eventually([&] { return other.ask(core::children_op{"/many"}).children.empty(); }));
}

// The server must search a list of watchers for whole session ids: here one id ends with the digits of another id.
TEST_F(failures_on_redis, a_session_is_not_taken_for_one_whose_id_ends_with_its_own) {
    const auto servers = redis::make_coordinator(server.connect_string());
    contract::probe watcher{*servers};
    contract::probe other{*servers};
    other.ask(core::create_op{"/a"});
    const auto id = std::to_string(watcher.id());
    const auto longer = "9" + id;
    const auto list = [&] { return server.ask("HGET {turnstile}:n w/a"); };
    // If the tree has the field "d", the server runs its fast scripts. Otherwise it runs the general script. The second
    // round removes the field, so the test covers all these scripts.
    for (const char* field : {"none", "d"}) {
        EXPECT_EQ(server.ask("HSET {turnstile}:n w/a \"" + longer + " \""), ":1");
        EXPECT_THAT(server.ask(std::string{"HDEL {turnstile}:n "} + field),
                    ::testing::StartsWith(":"));
        watcher.ask(core::get_op{"/a", core::watch_mode::watch});
        EXPECT_EQ(list(), longer + " " + id + " ");
        other.ask(core::set_op{"/a", field});
        EXPECT_EQ(watcher.next_event(), "changed /a");
    }
    watcher.ask(core::get_op{"/a", core::watch_mode::watch});
    EXPECT_EQ(server.ask("HSET {turnstile}:n w/a \"" + longer + " " + id + " \""), ":0");
    watcher.forget("/a");
    EXPECT_EQ(list(), longer + " ");
}

// A server that lost a session may give that session's id to another session, with another password.
TEST_F(failures_on_redis, a_session_of_the_same_number_is_no_place_to_come_back_to) {
    session_recorder away{redis::make_coordinator(server.connect_string())};
    const auto field = "s" + std::to_string(away.attached().session_id);
    const std::string other = "1:10000000:00112233445566778899aabbccddeeff:";
    ASSERT_EQ(server.ask("HSET {turnstile}:n " + field + " " + other), ":0");
    EXPECT_THAT(server.ask("CLIENT KILL TYPE normal"), ::testing::StartsWith(":"));
    away.link(core::link_kind::expired);
    away.close();
    EXPECT_EQ(server.ask("HGET {turnstile}:n " + field), other) << "nor is it ended or kept alive";
}

TEST_F(failures_on_redis, a_client_that_is_first_waits_for_its_server) {
    server.stop();
    client early{server.connect_string(), with_timeout()};
    auto connected = std::async(std::launch::async, [&] { return early.wait_connected(limit()); });
    server.start();
    const auto there = connected.get();
    EXPECT_TRUE(there) << there.error().message();
}

}  // namespace
}  // namespace turnstile::tests
