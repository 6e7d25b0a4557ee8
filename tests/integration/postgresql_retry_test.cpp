// SPDX-License-Identifier: Apache-2.0
// Tests that the library repeats a transaction that PostgreSQL rolled back because of a deadlock. Neither the caller
// nor the session notices.
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <string>

#include "plain_connection.hpp"
#include "session_recorder.hpp"
#include "sql/coordinator.hpp"
#include "sql/stripes.hpp"

namespace turnstile::tests {
namespace {

constexpr int k_advisory_class = 0x7475726e;  // see sql/postgresql_database.cpp

std::string stripe_text(std::int64_t stripe) {
    return "(" + std::to_string(k_advisory_class) + ", " + std::to_string(stripe) + ")";
}

void expect_one_connection(const session_recorder& me) {
    EXPECT_EQ(me.heard<core::link_event>().size(), 1U) << "the session has not lost its connection";
}

// The library's transaction waits for a path that `first` has locked, and then for a path of `other`. By then `other`
// waits for the session's row, which the library's transaction has locked. PostgreSQL rolls back the library's
// transaction, because its second wait closes the cycle.
TEST(postgresql_retry, a_deadlock_is_begun_again) {
    const std::array paths{std::string{"/deadlock"}, std::string{"/"}};
    const auto stripes = sql::stripes_of(paths);
    ASSERT_EQ(stripes.size(), 2U);
    session_recorder me{sql::make_coordinator(database() + "?options=-cdeadlock_timeout%3D10ms"),
                        patient_settings()};
    const auto session = std::to_string(me.attached().session_id);
    plain_connection first;
    first.ask("SELECT pg_advisory_lock" + stripe_text(*stripes.begin()));
    plain_connection other;
    other.ask("SET deadlock_timeout = '1h'");
    other.ask("BEGIN");
    other.ask("SELECT pg_advisory_xact_lock" + stripe_text(*stripes.rbegin()));
    const auto others_process = other.ask("SELECT pg_backend_pid()");
    plain_connection watcher;
    const auto exists = [&](const std::string& waits) {
        return watcher.ask("SELECT count(*) FROM pg_stat_activity WHERE " + waits) == "1";
    };
    const auto created = me.submit(core::create_op{paths[0], {}, core::create_mode::ephemeral});
    ASSERT_TRUE(eventually([&] { return exists("wait_event = 'advisory'"); }));
    auto updated = std::async(std::launch::async, [&] {
        return other.ask("UPDATE turnstile_sessions SET lasts = lasts WHERE id = " + session +
                         " RETURNING 'updated'");
    });
    ASSERT_TRUE(
        eventually([&] { return exists("wait_event_type = 'Lock' AND pid = " + others_process); }));
    first.ask("SELECT pg_advisory_unlock_all()");
    EXPECT_EQ(updated.get(), "updated") << "the library's transaction has been rolled back";
    EXPECT_TRUE(me.heard<core::reply>().empty());
    other.ask("COMMIT");
    EXPECT_EQ(me.wait(created).error, core::server_error::ok);
    expect_one_connection(me);
}

TEST(postgresql_retry, a_serialization_failure_is_begun_again) {
    const std::string path = "/serialization";
    session_recorder me{sql::make_coordinator(database()), patient_settings()};
    me.attached();
    run_sql(
        "CREATE SEQUENCE attempts; CREATE FUNCTION refuse_twice() RETURNS trigger LANGUAGE plpgsql "
        "AS $$ BEGIN IF nextval('attempts') < 3 THEN RAISE EXCEPTION 'another one' USING ERRCODE = "
        "'serialization_failure'; END IF; RETURN NEW; END $$; "
        "CREATE TRIGGER refusal BEFORE INSERT ON turnstile_nodes FOR EACH ROW WHEN (NEW.path = '" +
        path + "') EXECUTE FUNCTION refuse_twice()");
    const auto reply = me.ask(core::create_op{path, {}, core::create_mode::ephemeral});
    EXPECT_EQ(run_sql("SELECT last_value FROM attempts"), "3\n");
    run_sql("DROP TRIGGER refusal ON turnstile_nodes");
    run_sql("DROP FUNCTION refuse_twice; DROP SEQUENCE attempts");
    EXPECT_EQ(reply.outcome, core::outcome::answered);
    EXPECT_EQ(reply.error, core::server_error::ok);
    expect_one_connection(me);
}

}  // namespace
}  // namespace turnstile::tests
