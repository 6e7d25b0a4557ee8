// SPDX-License-Identifier: Apache-2.0
// Tests that a session notices each bell, whatever it does at that moment. A bell is a message of the database that
// only wakes a session, which then fetches its events.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <latch>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/latest_failure.hpp"
#include "session_fixture.hpp"
#include "sql/sql_session.hpp"
#include "turnstile/testing/event.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::sql {
namespace {

using core::link_kind;
using core::server_error;

// After hold(), each write finds its row locked by a user's transaction.
class held_database final : public wrapped_database {
public:
    explicit held_database(const std::filesystem::path& file)
        : wrapped_database{{file, testing::limit(), nullptr}} {}

    void begin(access how) override {
        if (held_ && how == access::write) {
            waits_ = true;
            throw database_error{failure::row_held, "a user holds the row"};
        }
        wrapped_database::begin(how);
    }
    // When the session first waits for the locked row, this function blocks until the test has sent the wake-up message
    // (the bell).
    woken wait(int caller, boottime_clock::time_point until) override {
        if (waits_ && !std::exchange(met_, true)) {
            waiting.count_down();
            rung.wait();
        }
        return wrapped_database::wait(caller, until);
    }
    void hold() { held_ = true; }

    std::latch waiting{1};
    std::latch rung{1};

private:
    std::atomic<bool> held_ = false;
    bool waits_ = false;
    bool met_ = false;
};

// Keeps its session busy: before each commit of a write, it submits another request to the session. Sets `listened`
// when the session calls wait() nevertheless. In wait() the session notices wake-up messages (bells).
class busy_database final : public wrapped_database {
public:
    explicit busy_database(const std::filesystem::path& file)
        : wrapped_database{{file, testing::limit(), nullptr}} {}

    void commit(std::span<const std::int64_t> to_wake) override {
        if (sql_session* const kept = kept_busy.load(); kept != nullptr && !listened_)
            kept->submit({core::ticket{++requests_}, core::set_op{"/busy", "again"}});
        wrapped_database::commit(to_wake);
    }
    woken wait(int caller, boottime_clock::time_point until) override {
        if (kept_busy != nullptr && requests_ > 2) {
            listened_ = true;
            listened.set();
        }
        return wrapped_database::wait(caller, until);
    }

    std::atomic<sql_session*> kept_busy = nullptr;
    testing::event listened;

private:
    // Only the session's thread uses these members.
    std::uint64_t requests_ = 2;
    bool listened_ = false;
};

// Returns the errors of the answered requests.
std::vector<server_error> errors(const std::vector<core::coordinator_event>& events) {
    std::vector<server_error> all;
    for (const auto& event : events)
        if (const auto* const reply = std::get_if<core::reply>(&event)) all.push_back(reply->error);
    return all;
}

bool has_watch_event(const std::vector<core::coordinator_event>& events) {
    return std::any_of(events.begin(), events.end(), [](const auto& event) {
        return std::holds_alternative<core::watch_event>(event);
    });
}

session_parts parts_of(std::unique_ptr<database> db) {
    return {.db = std::move(db),
            .closing = std::make_shared<closing_signal>(),
            .failures = std::make_shared<base::latest_failure>(),
            .container_interval = std::chrono::hours{24}};
}

// The session's next touch (a write that keeps the session alive) would find its row locked by a user, and would end
// the connection. So the session must fetch the event as soon as the wake-up message (the bell) arrives.
TEST(sql_session, hears_a_bell_that_rings_while_it_waits_for_a_row_of_a_user) {
    const testing::temporary_folder folder;
    const auto file = folder.path() / "locks.db";
    const core::session_settings settings{.timeout = std::chrono::seconds{12},
                                          .detect_role = false};
    auto wrapped = std::make_unique<held_database>(file);
    held_database& held = *wrapped;
    recorder told;
    sql_session waiting{parts_of(std::move(wrapped)), settings, told};
    recorder told_other;
    sql_session other{parts_of(std::make_unique<wrapped_database>(
                          sqlite_settings{file, testing::limit(), nullptr})),
                      settings, told_other};
    const auto attached = [](const auto& all) { return links(all, link_kind::attached) == 1; };
    told.wait_until(attached);
    told_other.wait_until(attached);
    waiting.submit({core::ticket{1}, core::create_op{"/watched"}});
    waiting.submit({core::ticket{2}, core::get_op{"/watched", core::watch_mode::watch}});
    told.wait_until([](const auto& all) { return errors(all).size() == 2; });
    held.hold();
    waiting.submit({core::ticket{3}, core::create_op{"/delayed"}});
    held.waiting.wait();
    other.submit({core::ticket{1}, core::set_op{"/watched", "changed"}});
    told_other.wait_until([](const auto& all) { return errors(all).size() == 1; });
    held.rung.count_down();
    const auto all = told.wait_until([](const auto& so_far) {
        return has_watch_event(so_far) || links(so_far, link_kind::detached) != 0;
    });
    EXPECT_TRUE(has_watch_event(all));
    EXPECT_EQ(errors(all),
              (std::vector{server_error::ok, server_error::ok, server_error::throttled}));
    waiting.abandon();
    other.close();
}

// Wake-up messages (bells) arrive on a second connection, which a server ends if nothing is sent on it for too long. So
// the session must use that connection even if it always has requests.
TEST(sql_session, reads_its_bell_while_it_always_has_requests) {
    const testing::temporary_folder folder;
    auto wrapped = std::make_unique<busy_database>(folder.path() / "locks.db");
    busy_database& busy = *wrapped;
    recorder told;
    sql_session always{parts_of(std::move(wrapped)),
                       {.timeout = std::chrono::seconds{4}, .detect_role = false},
                       told};
    told.wait_until([](const auto& all) { return links(all, link_kind::attached) == 1; });
    always.submit({core::ticket{1}, core::create_op{"/busy"}});
    told.wait_until([](const auto& all) { return errors(all).size() == 1; });
    busy.kept_busy = &always;
    always.submit({core::ticket{2}, core::set_op{"/busy", "first"}});
    EXPECT_TRUE(busy.listened.wait());
    always.close();
}

}  // namespace
}  // namespace turnstile::sql
