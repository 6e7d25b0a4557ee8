// SPDX-License-Identifier: Apache-2.0
// Tests a database from whose tables an operator deletes rows. A session without its row must end, and the library must
// create the root again. Also tests that rows of dead clients do not cost a living client its session.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "session_recorder.hpp"
#include "sql/coordinator.hpp"
#include "sql_backend.hpp"

namespace turnstile::tests {
namespace {

using core::server_error;

std::string is_of(const session_recorder& me) {
    for (const auto& link : me.heard<core::link_event>())
        if (link.kind == core::link_kind::attached)
            return "id = " + std::to_string(link.session_id);
    return {};
}

core::session_settings lasting(std::chrono::milliseconds timeout) {
    auto settings = recorder_settings();
    settings.timeout = timeout;
    return settings;
}

class sql_deleted_rows : public ::testing::Test {
protected:
    const std::string lock_at = lock_path();
    const std::string path = "/" + lock_at.substr(lock_at.rfind('/') + 1);

    [[nodiscard]] std::unique_ptr<session_recorder> recorder(
        const sql::coordinator_settings& settings = {}, std::chrono::milliseconds timeout = 60s) {
        auto me = std::make_unique<session_recorder>(sql::make_coordinator(database(), settings),
                                                     lasting(timeout));
        me->attached();
        return me;
    }
    void make_own(session_recorder& me) const {
        EXPECT_EQ(me.ask(core::create_op{path, {}, core::create_mode::ephemeral}).error,
                  server_error::ok);
    }
    [[nodiscard]] bool stands(session_recorder& seen_by) const {
        return seen_by.ask(core::exists_op{path}).error == server_error::ok;
    }
};

// The client is certain of its hold until a session timeout after the last answer. So the session must not end earlier.
TEST_F(sql_deleted_rows, a_session_without_its_row_ends_a_time_out_later) {
    const auto holder = recorder();
    make_own(*holder);
    run_sql("DELETE FROM turnstile_sessions WHERE " + is_of(*holder));
    const auto other = recorder();
    EXPECT_TRUE(stands(*other));
    ASSERT_EQ(run_sql("SELECT count(*) FROM turnstile_sessions WHERE " + is_of(*holder)), "1\n")
        << "it has one again";
    run_sql("UPDATE turnstile_sessions SET deadline = 0 WHERE " + is_of(*holder));
    EXPECT_EQ(other->ask(core::children_op{"/"}).error, server_error::ok);
    EXPECT_FALSE(stands(*other));
    holder->ask(core::exists_op{path});
    holder->link(core::link_kind::expired);
}

TEST_F(sql_deleted_rows, a_session_that_waits_already_finds_it) {
    const auto waiter = recorder({.container_interval = 1ms}, 2s);
    const auto holder = recorder();
    make_own(*holder);
    ASSERT_EQ(waiter->ask(core::exists_op{path, core::watch_mode::watch}).error, server_error::ok);
    run_sql("DELETE FROM turnstile_sessions WHERE " + is_of(*holder));
    EXPECT_EQ(waiter->watch(path).kind, core::watch_kind::deleted);
}

TEST_F(sql_deleted_rows, of_all_sessions_block_no_lock) {
    const auto before = connect_to_database(60s);
    mutex mine{*before, lock_at};
    const auto hold = mine.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    run_sql("DELETE FROM turnstile_sessions");
    const auto servers = connect_to_database(2s);
    mutex lock{*servers, lock_at};
    const auto next = lock.acquire({.timeout = limit()});
    EXPECT_TRUE(next) << next.error().message();
}

TEST_F(sql_deleted_rows, of_all_nodes_leave_a_tree_that_can_be_used) {
    const auto attached = recorder({.container_interval = 1ms}, 2s);
    run_sql("DELETE FROM turnstile_nodes");
    EXPECT_TRUE(eventually([&] {
        return attached->ask(core::create_op{path}).error == server_error::ok;
    })) << "by a session that was there before";
    run_sql("DELETE FROM turnstile_nodes");
    const auto servers = connect_to_database(60s);
    mutex lock{*servers, lock_at};
    const auto hold = lock.acquire({.timeout = limit()});
    EXPECT_TRUE(hold) << hold.error().message();
}

// If the living session ended all dead sessions at once, that would take longer than its own timeout.
TEST_F(sql_deleted_rows, that_dead_clients_have_left_cost_no_living_session) {
    recorder()->close();  // the tables exist
    const std::string hundred =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) ";
    run_sql("INSERT INTO turnstile_sessions (id, attachment, lasts, deadline, changes) " + hundred +
            "SELECT a.i * 100 + b.i, 1, 1, 0, 0 FROM n a, n b");
    const auto living = recorder({}, 2s);
    make_own(*living);
    EXPECT_EQ(living->ask(core::children_op{"/"}).error, server_error::ok);
    EXPECT_TRUE(stands(*living));
    for (const auto& link : living->heard<core::link_event>())
        EXPECT_TRUE(link.kind != core::link_kind::expired);
    run_sql("DELETE FROM turnstile_sessions WHERE id <= 10100");
}

}  // namespace
}  // namespace turnstile::tests
