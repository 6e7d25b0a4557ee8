// SPDX-License-Identifier: Apache-2.0
// Tests that transactions on PostgreSQL take their locks in an order that excludes deadlocks.
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <string>

#include "plain_connection.hpp"
#include "session_recorder.hpp"
#include "sql/coordinator.hpp"
#include "sql/stripes.hpp"
#include "sql_backend.hpp"

namespace turnstile::tests {
namespace {

// A read that sets a watch. Its connection broke, so the database executes it after the session attached again.
class late_read {
public:
    explicit late_read(const std::string& session) {
        row_.ask("BEGIN");
        row_.ask("SELECT id FROM turnstile_sessions WHERE id = " + session + " FOR KEY SHARE");
    }
    [[nodiscard]] bool has_one_behind_it() {
        return watcher_.ask("SELECT count(*) FROM pg_stat_activity WHERE " + number_ +
                            " = ANY(pg_blocking_pids(pid))") != "0";
    }
    // Tries to lock the path. Returns false if another transaction has the path's lock.
    [[nodiscard]] bool takes(const std::string& path) {
        const std::array paths{path};
        const auto stripe = *sql::stripes_of(paths).begin();
        return row_.ask("SELECT pg_try_advisory_xact_lock_shared(" +
                        std::to_string(k_advisory_class) + ", " + std::to_string(stripe) + ")") ==
               "t";
    }
    void end() { row_.ask("COMMIT"); }

private:
    static constexpr int k_advisory_class = 0x7475726e;  // see sql/postgresql_database.cpp
    plain_connection row_;
    plain_connection watcher_;
    const std::string number_ = row_.ask("SELECT pg_backend_pid()");
};

// The read locks the session's row, and then a path. The transaction that ends the session needs the same row and the
// same path. This transaction must lock the row first. Otherwise it and the read would wait for each other.
TEST(postgresql_order, the_end_of_a_session_has_no_path_while_it_waits_for_a_read_of_that_session) {
    const auto path = lock_path();
    session_recorder me{sql::make_coordinator(database())};
    const auto session = std::to_string(me.attached().session_id);
    ASSERT_EQ(me.ask(core::create_op{path, {}, core::create_mode::ephemeral}).error,
              core::server_error::ok);
    late_read read{session};
    const auto closing = std::async(std::launch::async, [&] { me.close(); });
    EXPECT_TRUE(eventually([&] { return read.has_one_behind_it(); }));
    EXPECT_TRUE(read.takes(path));
    read.end();
}

}  // namespace
}  // namespace turnstile::tests
