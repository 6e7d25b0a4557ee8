// SPDX-License-Identifier: Apache-2.0
// Tests a database that returns to older data, and late requests of an earlier connection. Only PostgreSQL and MariaDB
// can lose commits, or execute a request of a broken connection.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "session_recorder.hpp"
#include "sql/coordinator.hpp"
#include "sql_backend.hpp"
#include "turnstile/testing/tcp_proxy.hpp"

namespace turnstile::tests {
namespace {

using core::server_error;
using core::watch_mode;

std::string server_address() {
    const auto where = database();
    const auto begin = where.find("127.0.0.1:");
    return where.substr(begin, where.find('/', begin) - begin);
}

std::string through(const testing::tcp_proxy& proxy) {
    auto where = database();
    return where.replace(where.find(server_address()), server_address().size(), proxy.address());
}

// Copies all rows, so that the database can return to them.
class older_data {
public:
    older_data() {
        for (const std::string table : k_tables)
            run_sql("CREATE TABLE older_" + table + " AS SELECT * FROM turnstile_" + table);
    }
    ~older_data() {
        for (const std::string table : k_tables) run_sql("DROP TABLE older_" + table);
    }
    older_data(const older_data&) = delete;
    older_data& operator=(const older_data&) = delete;

    void come_back() const {
        for (const std::string table : k_tables) {
            run_sql("DELETE FROM turnstile_" + table);
            run_sql("INSERT INTO turnstile_" + table + " SELECT * FROM older_" + table);
        }
    }

private:
    static constexpr const char* k_tables[] = {"nodes", "sessions", "watches", "events"};
};

class sql_older_data : public ::testing::Test {
protected:
    testing::tcp_proxy proxy{server_address(), testing::traffic::bytes};
    const std::string path = lock_path();

    void lose(const older_data& since) {
        proxy.refuse();
        since.come_back();
        proxy.accept();
    }
    void reconnect(session_recorder& me, std::uint64_t attachment) {
        proxy.refuse();
        proxy.accept();
        me.attached(attachment);
    }
    // Checks that the session expires, and that its node at `path` disappears.
    void expect_over(session_recorder& session, session_recorder& observer) const {
        session.link(core::link_kind::expired);
        EXPECT_TRUE(eventually(
            [&] { return observer.ask(core::exists_op{path}).error == server_error::no_node; }));
    }
    static core::session_settings patient() {
        auto settings = recorder_settings();
        settings.timeout = 60s;
        return settings;
    }
    static std::unique_ptr<session_recorder> recorder(const std::string& where) {
        auto me = std::make_unique<session_recorder>(sql::make_coordinator(where), patient());
        me->attached();
        return me;
    }
    static void attach_elsewhere(const session_recorder& me) {
        run_sql("UPDATE turnstile_sessions SET attachment = attachment + 1 WHERE id = " +
                session_of(me));
    }
    static std::string session_of(const session_recorder& me) {
        for (const auto& link : me.heard<core::link_event>())
            if (link.kind == core::link_kind::attached) return std::to_string(link.session_id);
        return {};
    }
    static std::string row_of(const std::string& session) {
        return run_sql("SELECT attachment, deadline FROM turnstile_sessions WHERE id = " + session);
    }
    static bool is_watched(const std::string& where) {
        return run_sql("SELECT COUNT(*) FROM turnstile_watches WHERE path = '" + where + "'") !=
               "0\n";
    }
};

// The database returns to data with the released contender, which would block the lock as long as its session lives. So
// the library must detect the older data and end the session.
TEST_F(sql_older_data, without_a_release_ends_its_session_and_frees_the_lock) {
    const auto forgotten = connect(through(proxy), database_options(60s));
    const auto next = connect_to_database(60s);
    mutex mine{*forgotten, path};
    mutex other{*next, path};
    auto hold = mine.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    {
        const older_data before;
        ASSERT_TRUE(hold->release(limit()));
        lose(before);
    }
    auto granted = other.acquire({.timeout = limit()});
    ASSERT_TRUE(granted) << granted.error().message();
    ASSERT_TRUE(granted->release(limit()));
    EXPECT_TRUE(mine.acquire({.timeout = limit()}).has_value())
        << "it comes back with another session";
}

TEST_F(sql_older_data, that_has_a_session_s_last_change_leaves_its_hold) {
    const auto servers = connect(through(proxy), database_options(60s));
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    {
        const older_data before;
        session_recorder other{sql::make_coordinator(database())};
        other.attached();
        ASSERT_EQ(other.ask(core::set_op{path, "changed"}).error, server_error::ok);
        lose(before);
    }
    const auto written =
        hold->commit(transaction{}.create(path + ".after", ""), {.timeout = limit()});
    EXPECT_TRUE(written) << written.error().message();
}

// The client knows that another client has removed its node, so it does not remove the node. The database returns to
// older data, with the node and an older count of the owner's nodes.
TEST_F(sql_older_data, without_another_client_s_removal_ends_the_session_that_was_told) {
    const auto me = recorder(through(proxy));
    const auto operator_s = recorder(database());
    const core::create_op own{path, {}, core::create_mode::ephemeral};
    ASSERT_EQ(me->ask(own).error, server_error::ok);
    {
        const older_data before;
        ASSERT_EQ(operator_s->ask(core::remove_op{path}).error, server_error::ok);
        ASSERT_EQ(me->ask(core::exists_op{path}).error, server_error::no_node);
        lose(before);
    }
    expect_over(*me, *operator_s);
}

// The client knows that its first node was removed. The database goes back to data with this node, and then the
// client's second node is removed. The data then count as many removals as the client knows, so the library must
// compare more than that number.
TEST_F(sql_older_data, without_one_of_two_removals_by_others_ends_the_session_that_was_told) {
    const auto me = recorder(through(proxy));
    const auto operator_s = recorder(database());
    const auto second = path + ".second";
    for (const auto& own : {path, second})
        ASSERT_EQ(me->ask(core::create_op{own, {}, core::create_mode::ephemeral}).error,
                  server_error::ok);
    {
        const older_data before;
        ASSERT_EQ(operator_s->ask(core::remove_op{path}).error, server_error::ok);
        ASSERT_EQ(me->ask(core::exists_op{path}).error, server_error::no_node);
        proxy.refuse();
        before.come_back();
        ASSERT_EQ(operator_s->ask(core::remove_op{second}).error, server_error::ok);
        proxy.accept();
    }
    expect_over(*me, *operator_s);
}

TEST_F(sql_older_data, is_not_what_has_a_node_that_was_made_again_since_others_removed_it) {
    const auto me = recorder(through(proxy));
    const auto operator_s = recorder(database());
    const core::create_op own{path, {}, core::create_mode::ephemeral};
    ASSERT_EQ(me->ask(own).error, server_error::ok);
    ASSERT_EQ(operator_s->ask(core::remove_op{path}).error, server_error::ok);
    ASSERT_EQ(me->ask(own).error, server_error::ok);
    reconnect(*me, 2);
    EXPECT_EQ(me->ask(core::exists_op{path}).error, server_error::ok);
}

// While the session has no connection, another client removes the session's node, and then a late create of the session
// creates the node again. The event of the removal arrives after this create.
TEST_F(sql_older_data,
       is_not_what_has_a_node_that_was_made_again_by_a_create_whose_answer_was_lost) {
    const auto me = recorder(through(proxy));
    const auto operator_s = recorder(database());
    const core::create_op own{path, {}, core::create_mode::ephemeral};
    ASSERT_EQ(me->ask(own).error, server_error::ok);
    proxy.refuse();
    ASSERT_EQ(operator_s->ask(core::remove_op{path}).error, server_error::ok);
    ASSERT_EQ(operator_s->ask(own).error, server_error::ok);
    const auto session = session_of(*me);
    run_sql("UPDATE turnstile_nodes SET owner = " + session + " WHERE path = '" + path + "'");
    run_sql("UPDATE turnstile_sessions SET changes = changes + 1 WHERE id = " + session);
    proxy.accept();
    me->attached(2);
    ASSERT_EQ(me->ask(core::exists_op{path}).error, server_error::ok);
    reconnect(*me, 3);
    EXPECT_EQ(me->ask(core::exists_op{path}).error, server_error::ok);
}

TEST_F(sql_older_data, without_a_watch_tells_a_change_and_with_one_of_before_gives_it_back) {
    const auto me = recorder(through(proxy));
    const auto forgotten = path + ".forgotten";
    ASSERT_EQ(me->ask(core::create_op{path}).error, server_error::ok);
    ASSERT_EQ(me->ask(core::create_op{forgotten}).error, server_error::ok);
    ASSERT_EQ(me->ask(core::get_op{forgotten, watch_mode::watch}).error, server_error::ok);
    {
        const older_data before;
        me->session().forget_watches(forgotten);
        ASSERT_EQ(me->ask(core::get_op{path, watch_mode::watch}).error, server_error::ok);
        ASSERT_FALSE(is_watched(forgotten));
        lose(before);
    }
    EXPECT_EQ(me->watch(path).kind, core::watch_kind::changed);
    ASSERT_EQ(me->ask(core::get_op{path}).error, server_error::ok);
    EXPECT_FALSE(is_watched(forgotten));
}

// After the return to older data, an event gets an id that an earlier event had. The session must still deliver it.
TEST_F(sql_older_data, gives_an_event_an_id_again_and_it_is_told) {
    const auto me = recorder(database());
    const auto other = recorder(database());
    ASSERT_EQ(other->ask(core::create_op{path}).error, server_error::ok);
    ASSERT_EQ(me->ask(core::get_op{path, watch_mode::watch}).error, server_error::ok);
    ASSERT_EQ(other->ask(core::set_op{path, "first"}).error, server_error::ok);
    me->watch(path);
    ASSERT_EQ(me->ask(core::get_op{path, watch_mode::watch}).error, server_error::ok);
    run_sql("UPDATE turnstile_events SET nonce = nonce + 1 WHERE path = '" + path + "'");
    ASSERT_EQ(me->ask(core::get_op{path}).error, server_error::ok);
    EXPECT_EQ(me->heard<core::watch_event>().size(), 2U);
}

// The database lost a session, and gave its id to another session. The first session's client must not continue
// with the other session.
TEST_F(sql_older_data, with_another_session_of_the_number_is_no_place_to_come_back_to) {
    const auto away = recorder(through(proxy));
    const auto number = session_of(*away);
    std::string row;
    {
        const auto next = recorder(database());
        const auto other = session_of(*next);
        proxy.refuse();
        run_sql("DELETE FROM turnstile_sessions WHERE id = " + number);
        run_sql("UPDATE turnstile_sessions SET id = " + number + " WHERE id = " + other);
        row = row_of(number);
        proxy.accept();
        away->link(core::link_kind::expired);
        away->close();
    }
    EXPECT_NE(row, "");
    EXPECT_EQ(row_of(number), row) << "nor is it ended or kept alive";
    run_sql("DELETE FROM turnstile_sessions WHERE id = " + number);
}

// The session's connection breaks during a read, and the session attaches again. Then the database executes the read.
TEST_F(sql_older_data, a_watched_read_of_an_earlier_attachment_sets_no_watch) {
    const auto late = recorder(database());
    ASSERT_EQ(late->ask(core::create_op{path}).error, server_error::ok);
    attach_elsewhere(*late);
    EXPECT_NE(late->ask(core::get_op{path, watch_mode::watch}).error, server_error::ok);
    EXPECT_FALSE(is_watched(path));
}

TEST_F(sql_older_data, a_watch_given_back_by_an_earlier_attachment_stays) {
    const auto late = recorder(database());
    ASSERT_EQ(late->ask(core::create_op{path}).error, server_error::ok);
    ASSERT_EQ(late->ask(core::get_op{path, watch_mode::watch}).error, server_error::ok);
    attach_elsewhere(*late);
    late->session().forget_watches(path);
    EXPECT_NE(late->ask(core::set_op{path, "late"}).error, server_error::ok);
    EXPECT_TRUE(is_watched(path));
}

}  // namespace
}  // namespace turnstile::tests
