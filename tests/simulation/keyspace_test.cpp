// SPDX-License-Identifier: Apache-2.0
// Tests the model of a single Redis or SQL server (simulation/keyspace.hpp): how it stores data and executes requests.
#include "simulation/keyspace.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <utility>

namespace turnstile::simulation {
namespace {

using namespace std::chrono_literals;
using word = served::word;

// A keyspace whose clock the test advances.
class keeping {
public:
    explicit keeping(server_kind kind) : keys_{kind, 10s, local::tree{}} {}

    struct client {
        session_id session = 0;
        std::uint64_t connection = 0;
    };

    client attach(session_id known = 0, std::uint64_t heard = 0, std::int64_t changed = 0,
                  std::int64_t changes = 0, std::set<std::string> removed = {}) {
        const connect_request request{known, 0, {}, heard, history_, changed, changes, removed};
        const auto done = carry_out({}, request);
        history_ = done.answer.history;
        return {done.answer.session, done.connection};
    }
    void restart() { ++server_; }
    void fill() { full_ = true; }
    template <class Request>
    command_outcome carry_out(const client& by, Request&& request) {
        command wanted;
        wanted.session = by.session;
        wanted.connection = by.connection;
        wanted.now = now_;
        wanted.server = server_;
        wanted.full = full_;
        wanted.request = std::forward<Request>(request);
        return keys_.carry_out(wanted);
    }
    command_outcome apply(const client& by, core::operation op) {
        return carry_out(by, std::move(op));
    }
    void pass(std::chrono::microseconds span) { now_ += span; }
    [[nodiscard]] const local::tree& tree() const { return keys_.tree(); }

private:
    std::chrono::microseconds now_ = 1h;
    std::uint64_t server_ = 1;
    std::int64_t history_ = 0;
    bool full_ = false;
    keyspace keys_;
};

core::create_op ephemeral(std::string path) {
    return {std::move(path), {}, core::create_mode::ephemeral};
}

TEST(keyspace, of_redis_ends_what_is_due_before_any_request) {
    keeping server{server_kind::redis};
    const auto holder = server.attach();
    const auto waiter = server.attach();
    server.apply(holder, ephemeral("/a"));
    server.pass(6s);
    server.apply(waiter, core::exists_op{"/b"});
    server.pass(4s);
    const auto done = server.apply(waiter, ephemeral("/a"));
    EXPECT_EQ(done.answer.reply->error, core::server_error::ok);
    ASSERT_EQ(done.ended.size(), 1U);
    EXPECT_EQ(done.ended.front().session, holder.session);
    EXPECT_EQ(server.apply(holder, core::exists_op{"/b"}).answer.verdict, word::session_gone);
}

TEST(keyspace, of_sql_ends_others_for_lists_and_looks_only) {
    keeping server{server_kind::sql};
    const auto holder = server.attach();
    const auto waiter = server.attach();
    server.apply(holder, ephemeral("/a"));
    server.pass(6s);
    server.apply(waiter, ephemeral("/b"));
    server.pass(4s);
    EXPECT_EQ(server.apply(waiter, ephemeral("/a")).answer.reply->error,
              core::server_error::node_exists);
    EXPECT_EQ(server.apply(waiter, core::children_op{"/"}).ended.size(), 1U);
}

TEST(keyspace, reads_move_the_deadline_in_redis_and_not_in_sql) {
    for (const auto kind : {server_kind::redis, server_kind::sql}) {
        keeping server{kind};
        const auto holder = server.attach();
        server.pass(6s);
        server.apply(holder, core::exists_op{"/a"});
        server.pass(6s);
        const auto lives = server.apply(holder, ephemeral("/a")).answer.verdict == word::ok;
        EXPECT_EQ(lives, kind == server_kind::redis);
    }
}

TEST(keyspace, of_redis_numbers_by_its_clock_where_that_is_ahead) {
    keeping server{server_kind::redis};
    const auto holder = server.attach();
    const auto first = server.apply(holder, ephemeral("/a")).zxid;
    // The start of the history took one transaction number, and the session took another. So this number is larger than
    // the clock by 2.
    EXPECT_EQ(first, std::chrono::microseconds{1h}.count() + 2);
    server.pass(5ms);
    EXPECT_EQ(server.apply(holder, ephemeral("/b")).zxid,
              std::chrono::microseconds{1h + 5ms}.count());
}

TEST(keyspace, a_request_of_an_earlier_connection_is_not_carried_out) {
    for (const auto kind : {server_kind::redis, server_kind::sql}) {
        keeping server{kind};
        const auto holder = server.attach();
        const auto again = server.attach(holder.session);
        EXPECT_EQ(again.session, holder.session);
        EXPECT_EQ(server.apply(holder, ephemeral("/a")).answer.verdict, word::session_moved);
        EXPECT_EQ(server.tree().nodes().find("/a"), nullptr);
    }
}

TEST(keyspace, a_session_past_its_deadline_is_not_taken_up_again) {
    for (const auto kind : {server_kind::redis, server_kind::sql}) {
        keeping server{kind};
        const auto holder = server.attach();
        server.pass(10s);
        EXPECT_EQ(server.attach(holder.session).session, 0);
    }
}

TEST(keyspace, of_redis_ends_a_session_that_was_told_more_than_the_server_knows) {
    keeping server{server_kind::redis};
    const auto holder = server.attach();
    const auto change = server.apply(holder, ephemeral("/a")).zxid;
    server.restart();
    const auto again = server.attach(holder.session, 0, change);
    EXPECT_EQ(again.session, holder.session);
    server.restart();
    EXPECT_EQ(server.attach(holder.session, 0, change + 1'000'000).session, 0);
    EXPECT_EQ(server.tree().nodes().find("/a"), nullptr);
}

TEST(keyspace, of_sql_ends_a_session_that_was_told_of_more_changes_than_the_server_knows) {
    keeping server{server_kind::sql};
    const auto holder = server.attach();
    EXPECT_EQ(server.apply(holder, ephemeral("/a")).answer.changes, 1);
    EXPECT_EQ(server.attach(holder.session, 0, 0, 1).session, holder.session);
    EXPECT_EQ(server.attach(holder.session, 0, 0, 2).session, 0);
}

TEST(keyspace, of_sql_ends_a_session_of_which_a_znode_stands_that_others_had_removed) {
    keeping server{server_kind::sql};
    const auto holder = server.attach();
    const auto other = server.attach();
    server.apply(holder, ephemeral("/a"));
    server.apply(other, core::remove_op{"/a"});
    const auto told = server.apply(holder, core::exists_op{"/a"}).answer;
    EXPECT_EQ(told.changes, 1) << "another one's removal does not count";
    EXPECT_EQ(told.removed, std::set<std::string>{"/a"});
    const auto again = server.attach(holder.session, 0, 0, 1, {"/a"});
    EXPECT_EQ(again.session, holder.session);
    EXPECT_TRUE(server.apply(again, ephemeral("/b")).answer.removed.empty());
    EXPECT_EQ(server.attach(holder.session, 0, 0, 1, {"/b"}).session, holder.session);
    EXPECT_EQ(server.attach(holder.session, 0, 0, 2, {"/b"}).session, 0);
}

TEST(keyspace, of_sql_sets_and_removes_no_watch_for_an_earlier_attachment) {
    keeping server{server_kind::sql};
    const auto late = server.attach();
    const auto now = server.attach(late.session);
    const core::exists_op watched{"/a", core::watch_mode::watch};
    EXPECT_EQ(server.apply(late, watched).answer.verdict, word::session_moved);
    EXPECT_EQ(server.tree().watch_count(), 0U);
    server.apply(now, watched);
    server.carry_out(late, drop_watch{"/a"});
    EXPECT_EQ(server.tree().watch_count(), 1U);
}

TEST(keyspace, events_wait_for_the_session_and_come_with_its_next_answer) {
    for (const auto kind : {server_kind::redis, server_kind::sql}) {
        keeping server{kind};
        const auto holder = server.attach();
        const auto waiter = server.attach();
        server.apply(holder, core::exists_op{"/a", core::watch_mode::watch});
        const auto told = server.apply(waiter, ephemeral("/a")).told;
        ASSERT_EQ(told.size(), 1U);
        EXPECT_EQ(told.front(), holder.session);
        const auto events = server.carry_out(holder, look{}).answer.events;
        ASSERT_EQ(events.size(), 1U);
        EXPECT_EQ(events.front().path, "/a");
        EXPECT_TRUE(server.carry_out(holder, look{}).answer.events.empty());
    }
}

TEST(keyspace, of_sql_tells_an_event_again_whose_answer_was_lost) {
    keeping server{server_kind::sql};
    const auto holder = server.attach();
    const auto waiter = server.attach();
    server.apply(holder, core::exists_op{"/a", core::watch_mode::watch});
    server.apply(waiter, ephemeral("/a"));
    EXPECT_EQ(server.carry_out(holder, look{}).answer.events.size(), 1U);
    const auto not_heard = server.attach(holder.session, 0);
    EXPECT_EQ(server.carry_out(not_heard, look{}).answer.events.size(), 1U);
    const auto heard = server.attach(holder.session, 1);
    EXPECT_TRUE(server.carry_out(heard, look{}).answer.events.empty());
}

TEST(keyspace, that_is_full_takes_a_create_only_in_place_of_what_is_removed) {
    keeping server{server_kind::redis};
    const auto holder = server.attach();
    server.apply(holder, ephemeral("/a"));
    server.fill();
    EXPECT_EQ(server.apply(holder, ephemeral("/b")).answer.reply->error,
              core::server_error::quota_exceeded);
    const core::multi_op renaming{{core::remove_op{"/a"}, ephemeral("/b")}};
    EXPECT_EQ(server.apply(holder, renaming).answer.reply->error, core::server_error::ok);
    const core::multi_op beside{{core::check_op{"/b"}, ephemeral("/c")}};
    EXPECT_EQ(server.apply(holder, beside).answer.reply->error, core::server_error::quota_exceeded);
}

TEST(keyspace, tells_when_another_session_may_be_over) {
    keeping server{server_kind::redis};
    const auto holder = server.attach();
    EXPECT_FALSE(server.carry_out(holder, look{}).answer.until_next);
    server.attach();
    server.pass(3s);
    EXPECT_EQ(server.carry_out(holder, look{}).answer.until_next, core::duration{7s});
}

}  // namespace
}  // namespace turnstile::simulation
