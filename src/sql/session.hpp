// SPDX-License-Identifier: Apache-2.0
// session: a store behind the seam's interface, with a thread of its own that carries requests out in their order.
//
// | state     | entered when                                  | requests are                                       |
// |-----------|-----------------------------------------------|----------------------------------------------------|
// | detached  | at first, and when the connection breaks      | answered `not_sent`                                |
// | attached  | the session was opened or resumed             | carried out, one transaction each                  |
// | dead      | the session is over at the database           | answered `not_sent`                                |
//
// Replies, events and link events are delivered by the one thread: in the order in which the transactions ended, each
// reply behind the events that its transaction fetched. A request whose connection broke in its commit is answered
// `unknown`, behind the link event `detached`; one that broke earlier is `not_sent`: the database rolls it back. No
// request is answered `answered` behind that event.
//
// While nothing is asked the thread waits: for a bell, for the time to touch its own session (a third of the
// time-out), and, if this session watches anything, for the earliest deadline of another session, which it then ends.
//
// In a forked child nothing that the parent opened does anything, and the destructor leaves it where it is.
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
    // Throws std::system_error for want of a thread or a descriptor.
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
