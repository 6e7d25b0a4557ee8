// SPDX-License-Identifier: Apache-2.0
// Tests help(), by which a waiting caller reads messages for its session. The tests check which thread delivers which
// message, and that the session's own thread reads again afterwards.
#include <algorithm>
#include <future>
#include <mutex>
#include <thread>

#include "redis/coordinator.hpp"
#include "redis_support.hpp"
#include "session_recorder.hpp"

namespace turnstile::tests {
namespace {

constexpr std::chrono::hours k_for_ever{1};

class help_on_redis : public on_redis {
protected:
    [[nodiscard]] session_recorder open(std::chrono::milliseconds timeout) const {
        auto settings = recorder_settings();
        settings.timeout = timeout;
        return session_recorder{redis::make_coordinator(server.connect_string()), settings};
    }
    static core::ticket ask(session_recorder& me) {
        return me.submit(core::exists_op{"/", core::watch_mode::none});
    }
    static bool has_reply(const session_recorder& me, core::ticket id) {
        const auto all = me.heard<core::reply>();
        return std::any_of(all.begin(), all.end(), [id](const auto& r) { return r.id == id; });
    }
    static bool help(session_recorder& me) {
        return me.session().help(boottime_clock::now() + k_for_ever);
    }
};

// The session's thread may be awake at first. When it sleeps, help() brings the answer and returns true.
TEST_F(help_on_redis, brings_the_answer_in_the_thread_of_the_caller) {
    auto me = open(10s);
    me.attached();
    EXPECT_TRUE(eventually([&] {
        const auto id = ask(me);
        const bool has_read = help(me);
        const bool is_there = has_reply(me, id);
        me.wait(id);
        return has_read && is_there;
    }));
}

TEST_F(help_on_redis, is_over_at_once_where_no_answer_is_awaited) {
    auto me = open(10s);
    me.attached();
    me.wait(ask(me));
    EXPECT_FALSE(help(me));
}

TEST_F(help_on_redis, ends_at_its_time_though_the_server_is_silent) {
    auto me = open(60s);
    me.attached();
    server.pause();
    ask(me);
    EXPECT_FALSE(me.session().help(boottime_clock::now() + 10ms));
    server.resume();
}

// The session's thread must send a ping after a third of the timeout, and notice that no answer arrives.
TEST_F(help_on_redis, gives_way_to_the_own_thread_when_that_has_something_to_do) {
    auto me = open(6s);
    me.attached();
    server.pause();
    const auto id = ask(me);
    while (me.heard<core::link_event>().back().kind != core::link_kind::detached)
        EXPECT_FALSE(help(me));
    server.resume();
    EXPECT_EQ(me.wait(id).outcome, core::outcome::unknown);
    me.attached(2);
    EXPECT_EQ(me.ask(core::exists_op{"/", core::watch_mode::none}).outcome,
              core::outcome::answered);
}

TEST_F(help_on_redis, of_a_connection_that_breaks_ends_and_the_session_comes_back) {
    auto me = open(10s);
    me.attached();
    server.pause();
    const auto id = ask(me);
    auto helper = std::async(std::launch::async, [&] {
        while (!has_reply(me, id)) static_cast<void>(help(me));
    });
    server.kill();
    helper.get();
    EXPECT_EQ(me.wait(id).outcome, core::outcome::unknown);
    server.start();
    me.link(core::link_kind::expired);  // the server has lost the session's data
}

// Whichever thread reads the refusal, the session must be detached before the request gets its outcome.
TEST_F(help_on_redis, that_brings_a_refusal_ends_the_connection_before_that_is_told) {
    auto me = open(10s);
    me.attached();
    EXPECT_TRUE(server.ask("SCRIPT FLUSH").starts_with("+OK"));
    const auto id = ask(me);
    while (!has_reply(me, id)) static_cast<void>(help(me));
    const auto told = me.wait(id);
    EXPECT_EQ(told.outcome, core::outcome::not_sent);
    EXPECT_EQ(told.connection, 1U);
    EXPECT_NE(told.sent, core::time_point{});
    const auto all = me.heard();
    EXPECT_EQ(std::get<core::link_event>(all.at(1)).kind, core::link_kind::detached);
    EXPECT_EQ(std::get<core::reply>(all.at(2)).id, id);
    me.attached(2);
}

// The caller in help() reads a message that only the session's thread can handle. So help() must wake that thread,
// which would otherwise sleep for 20 minutes.
TEST_F(help_on_redis, that_brings_the_end_of_the_session_has_it_told_at_once) {
    auto me = open(1h);
    me.attached();
    EXPECT_EQ(server.ask("FLUSHALL"), "+OK");
    const auto id = ask(me);
    static_cast<void>(help(me));
    EXPECT_EQ(me.wait(id).error, core::server_error::session_expired);
    me.link(core::link_kind::expired);
}

TEST_F(help_on_redis, that_brings_a_deadline_has_the_waiter_come_back_by_then) {
    auto me = open(1h);
    me.attached();
    auto other = open(2s);
    other.attached();
    ASSERT_EQ(other.ask(core::create_op{"/held", "", core::create_mode::ephemeral}).error,
              core::server_error::ok);
    other.session().abandon();
    const auto id = me.submit(core::exists_op{"/held", core::watch_mode::watch});
    while (!has_reply(me, id)) static_cast<void>(help(me));
    EXPECT_EQ(me.watch("/held").kind, core::watch_kind::deleted);
}

TEST_F(help_on_redis, ends_with_the_session) {
    auto me = open(60s);
    me.attached();
    server.pause();
    ask(me);
    std::promise<void> begins;
    auto helper = std::async(std::launch::async, [&] {
        begins.set_value();
        return help(me);
    });
    begins.get_future().wait();
    me.session().abandon();
    EXPECT_FALSE(helper.get());
    EXPECT_FALSE(help(me));
    server.resume();
}

// Several threads submit requests, and some of these threads call help(). Each request must get one reply, in the order
// of the requests.
TEST_F(help_on_redis, of_many_callers_keeps_the_order_of_replies) {
    constexpr int k_callers = 6;
    constexpr int k_requests = 200;
    auto me = open(10s);
    me.attached();
    std::mutex order;  // guards the order of requests
    std::vector<std::thread> callers;
    for (int caller = 0; caller != k_callers; ++caller) {
        callers.emplace_back([&, helps = caller % 2 == 0] {
            for (int i = 0; i != k_requests; ++i) {
                core::ticket id{};
                {
                    const std::lock_guard held{order};
                    id = ask(me);
                }
                if (helps) static_cast<void>(help(me));
                me.wait(id);
            }
        });
    }
    for (auto& caller : callers) caller.join();
    const auto all = me.heard<core::reply>();
    EXPECT_EQ(all.size(), std::size_t{k_callers} * k_requests);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                               [](const auto& a, const auto& b) { return a.id < b.id; }));
}

}  // namespace
}  // namespace turnstile::tests
