// SPDX-License-Identifier: Apache-2.0
// For tests of a database's session: a database whose calls a test may change, and a recorder of the events that the
// session delivers.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "sql/sqlite_database.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::sql {

// An SQLite file. A test overrides the calls that it changes.
class wrapped_database : public database {
public:
    explicit wrapped_database(sqlite_settings settings) : file_{std::move(settings)} {}

    void connect() override { file_.connect(); }
    void disconnect() noexcept override { file_.disconnect(); }
    void begin(access how) override { file_.begin(how); }
    void commit(std::span<const std::int64_t> to_wake) override { file_.commit(to_wake); }
    bool rollback() noexcept override { return file_.rollback(); }
    result_rows execute(const std::string& statement, std::span<const value> arguments) override {
        return file_.execute(statement, arguments);
    }
    [[nodiscard]] const phrases& words() const noexcept override { return file_.words(); }
    void lock(std::span<const std::string> paths, lock_mode mode) override {
        file_.lock(paths, mode);
    }
    asked_statement ask_number() override { return keep(file_.answer(file_.ask_number())); }
    void announce(std::int64_t session) override { file_.announce(session); }
    void listen(std::int64_t session) override { file_.listen(session); }
    void withdraw(ended how) noexcept override { file_.withdraw(how); }
    [[nodiscard]] bool is_gone(std::int64_t session) const override {
        return file_.is_gone(session);
    }
    woken wait(int caller, boottime_clock::time_point until) override {
        return file_.wait(caller, until);
    }

private:
    sqlite_database file_;
};

class recorder final : public core::session_sink {
public:
    void deliver(core::coordinator_event&& event) noexcept override {
        const std::lock_guard guard{mutex_};
        events_.push_back(std::move(event));
        changed_.notify_all();
    }
    // Waits until `done(events)` is true, and returns all events.
    template <class Done>
    std::vector<core::coordinator_event> wait_until(Done done) {
        std::unique_lock guard{mutex_};
        EXPECT_TRUE(changed_.wait_for(guard, testing::limit(), [&] { return done(events_); }));
        return events_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<core::coordinator_event> events_;
};

inline int links(const std::vector<core::coordinator_event>& events, core::link_kind kind) {
    int found = 0;
    for (const auto& event : events)
        if (const auto* const link = std::get_if<core::link_event>(&event))
            found += link->kind == kind ? 1 : 0;
    return found;
}

}  // namespace turnstile::sql
