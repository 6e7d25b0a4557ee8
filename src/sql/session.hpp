// SPDX-License-Identifier: Apache-2.0
// session: a store behind the coordinator interface, with a thread that executes requests in their order.
//
// | state     | entered when                                  | requests are                                       |
// |-----------|-----------------------------------------------|----------------------------------------------------|
// | detached  | at first, and when the connection breaks      | answered `not_sent`                                |
// | attached  | the session was opened or resumed             | executed, one transaction for each batch           |
// | dead      | the session is over at the database           | answered `not_sent`                                |
//
// The thread delivers replies, events and link events in the order in which the transactions ended, each reply after
// the events that its transaction fetched. A request whose connection broke in its commit is answered `unknown`, after
// the link event `detached`. A request whose connection broke earlier is `not_sent`: the database rolls it back. After
// that event no request is answered `answered`.
//
// Without requests the thread waits for a bell, for the time to touch its own session (a third of the timeout), and, if
// this session watches a node, for the earliest deadline of another session, which it then ends.
//
// In a forked child the objects that the parent opened do nothing, and the destructor does not free them.
//
// Thread safety: all members from any thread; `close` not from the sink.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "core/seam/coordinator.hpp"
#include "sql/worker.hpp"

namespace turnstile::sql {

class session final : public core::coordinator_session {
public:
    // Throws std::system_error if there is no thread or descriptor left.
    session(session_parts parts, const core::session_settings& settings, core::session_sink& sink);
    ~session() override;
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    void submit(core::request&& request) override;
    void submit_with_next(core::request&& request) override;
    void forget_watches(const std::string& path) override;
    [[nodiscard]] core::session_identity identity() const override;
    [[nodiscard]] std::optional<core::clock_reading> servers_clock() const override;
    void close() noexcept override { end(true); }
    void abandon() noexcept override { end(false); }

private:
    [[nodiscard]] bool forked() const noexcept;
    void end(bool orderly) noexcept;

    const std::uint64_t generation_;
    std::unique_ptr<worker> worker_;
    std::atomic<bool> ended_{false};
    std::unique_ptr<std::thread> thread_;
};

}  // namespace turnstile::sql
