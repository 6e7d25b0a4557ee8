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
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include "base/latest_failure.hpp"
#include "base/mutex.hpp"
#include "base/wake_up.hpp"
#include "core/seam/coordinator.hpp"
#include "local/chroot.hpp"
#include "local/client_watches.hpp"
#include "sql/database.hpp"
#include "sql/store.hpp"
#include "turnstile/error.hpp"

namespace turnstile::sql {

// What closing a session tells its database: `closing` becomes readable, and stays so.
struct closing_signal {
    base::wake_up closing;
    std::atomic<bool> begun{false};
};

// As a caller is told that has no session.
[[nodiscard]] error error_of(const database_error& why);

struct session_parts {
    std::unique_ptr<database> db;
    std::shared_ptr<closing_signal> closing;
    std::shared_ptr<base::latest_failure> failures;
    std::string server;  // for people
    std::string chroot;
    std::chrono::microseconds clean_containers_every{};
};

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
    void close() noexcept override { end(true); }
    void abandon() noexcept override { end(false); }

private:
    class worker;

    [[nodiscard]] bool forked() const noexcept;
    void end(bool orderly) noexcept;

    const std::uint64_t generation_;
    std::unique_ptr<worker> worker_;
    std::atomic<bool> ended_{false};
    std::unique_ptr<std::thread> thread_;
};

}  // namespace turnstile::sql
