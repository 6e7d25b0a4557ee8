// SPDX-License-Identifier: Apache-2.0
// sql_session: implements the coordinator's session with a store, and with a thread that executes the requests in
// order.
//
// | state     | entered when                                  | requests are                                       |
// |-----------|-----------------------------------------------|----------------------------------------------------|
// | detached  | at first, and when the connection breaks      | answered `not_sent`                                |
// | attached  | the session was opened or resumed             | executed, one transaction for each batch           |
// | dead      | the database has ended the session            | answered `not_sent`                                |
//
// The thread delivers replies and events in the order of the transactions. The events that a transaction has fetched
// come before its replies. If the connection breaks during a commit, the thread first delivers the event `detached`,
// and then the reply `unknown`. If the connection breaks before the commit, the reply is `not_sent`, because the
// database rolls back. After `detached`, no reply of that connection is `answered`.
//
// An idle thread waits for a bell, the message that wakes it. After a third of the session timeout, it wakes to extend
// the session. If the session watches a znode, it also wakes at the earliest deadline of another session, to end that
// session.
//
// After fork(), the child's copies of the sessions do nothing, and their destructors free nothing.
//
// Thread safety: all members from any thread. Exception: the sink, the core's object that receives the replies and
// events, must not call `close`.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "base/process.hpp"
#include "core/seam/coordinator.hpp"
#include "sql/worker.hpp"

namespace turnstile::sql {

class sql_session final : public core::coordinator_session {
public:
    // Throws std::system_error if there is no thread or descriptor left.
    sql_session(session_parts parts, const core::session_settings& settings,
                core::session_sink& sink);
    ~sql_session() override;
    sql_session(const sql_session&) = delete;
    sql_session& operator=(const sql_session&) = delete;

    void submit(core::request&& request) override;
    void submit_with_next(core::request&& request) override;
    void forget_watches(const std::string& path) override;
    [[nodiscard]] core::session_identity identity() const override;
    [[nodiscard]] std::optional<core::clock_reading> servers_clock() const override;
    void close() noexcept override { end(true); }
    void abandon() noexcept override { end(false); }

private:
    [[nodiscard]] bool forked() const noexcept { return process_.forked(); }
    void end(bool orderly) noexcept;

    const base::process_mark process_;
    std::unique_ptr<worker> worker_;
    std::atomic<bool> ended_{false};
    std::unique_ptr<std::thread> thread_;
};

}  // namespace turnstile::sql
