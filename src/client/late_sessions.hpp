// SPDX-License-Identifier: Apache-2.0
// late_sessions: the sessions of a client that the servers do not take.
//
// A server allows so many connections from one address (maxClientCnxns, 60 unless configured otherwise) and
// closes each further one without a word; the session is tried again for ever. What tells is time: one session
// of the client is attached, another one has not been since it was opened, for longer than `patience`. Then the log
// says so, once for a client, what waits in that session is refused (it has nothing at the servers yet), and
// nothing more is given to it until it is attached after all.
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "client/client_timers.hpp"
#include "client/session_runner.hpp"

namespace turnstile::detail {

class late_sessions final : public timer_thread::client {
public:
    using sessions = std::vector<std::shared_ptr<session_runner>>;

    // `all` answers with the client's sessions, from any thread. Both it and `timers` outlive the calls, which
    // end when the timers stop.
    late_sessions(client_timers& timers, std::function<sessions()> all, core::duration patience)
        : timers_{timers}, all_{std::move(all)}, patience_{patience} {}
    late_sessions(const late_sessions&) = delete;
    late_sessions& operator=(const late_sessions&) = delete;
    ~late_sessions() = default;

    // One more has been opened.
    void expect() { timers_.arm(*this, boottime_clock::now() + patience_); }

    void on_timer() override;

private:
    client_timers& timers_;
    const std::function<sessions()> all_;
    const core::duration patience_;
    std::atomic<bool> told_{false};
};

// Why what waits in a session that is not attached, while `attached` others are, is refused.
[[nodiscard]] error no_more_connections(std::size_t attached);

}  // namespace turnstile::detail
