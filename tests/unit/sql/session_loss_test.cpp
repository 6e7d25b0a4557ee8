// SPDX-License-Identifier: Apache-2.0
// Tests a connection that breaks while a batch of requests runs.
#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <utility>
#include <vector>

#include "base/latest_failure.hpp"
#include "session_fixture.hpp"
#include "sql/sql_session.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::sql {
namespace {

using core::link_kind;
using core::outcome;

// Lets the test submit its requests together: the session's thread reports that it is idle, and then waits for the
// test.
struct meeting {
    std::latch idle{1};
    std::latch asked{1};
};

// An SQLite file. After the test has submitted its requests together (see `meeting`), the first transaction fails, and
// the third transaction breaks the connection.
class failing_database final : public wrapped_database {
public:
    failing_database(sqlite_settings settings, meeting& with_test)
        : wrapped_database{std::move(settings)}, meeting_{with_test} {}

    void begin(access how) override {
        if (fails_) {
            ++begun_;
            if (begun_ == 1) throw database_error{failure::fatal, "fails by itself"};
            if (begun_ == 3) {
                fails_ = false;
                throw database_error{failure::lost, "breaks"};
            }
        }
        wrapped_database::begin(how);
    }
    woken wait(int caller, boottime_clock::time_point until) override {
        if (!std::exchange(waited_, true)) {
            meeting_.idle.count_down();
            meeting_.asked.wait();
            fails_ = true;
        }
        return wrapped_database::wait(caller, until);
    }

private:
    meeting& meeting_;
    bool waited_ = false;
    bool fails_ = false;
    int begun_ = 0;
};

TEST(sql_session, answers_nothing_as_carried_out_behind_the_end_of_its_connection) {
    const testing::temporary_folder folder;
    meeting both;
    recorder told;
    sql_session asked{
        {.db = std::make_unique<failing_database>(
             sqlite_settings{folder.path() / "locks.db", testing::limit(), nullptr}, both),
         .closing = std::make_shared<closing_signal>(),
         .failures = std::make_shared<base::latest_failure>(),
         .container_interval = std::chrono::hours{24}},
        {.timeout = std::chrono::hours{1}, .detect_role = false},
        told};
    told.wait_until([](const auto& all) { return links(all, link_kind::attached) == 1; });
    both.idle.wait();
    asked.submit_with_next({core::ticket{1}, core::children_op{"/"}});
    asked.submit({core::ticket{2}, core::children_op{"/"}});
    both.asked.count_down();
    const auto all =
        told.wait_until([](const auto& so_far) { return links(so_far, link_kind::attached) == 2; });
    bool detached = false;
    std::vector<outcome> outcomes;
    for (const auto& event : all) {
        if (const auto* const link = std::get_if<core::link_event>(&event))
            detached = detached || link->kind == link_kind::detached;
        if (const auto* const reply = std::get_if<core::reply>(&event)) {
            outcomes.push_back(reply->outcome);
            EXPECT_EQ(detached, reply->outcome != outcome::answered);
        }
    }
    EXPECT_EQ(outcomes, (std::vector{outcome::answered, outcome::not_sent}));
    asked.close();
}

}  // namespace
}  // namespace turnstile::sql
