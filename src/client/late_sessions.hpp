// SPDX-License-Identifier: Apache-2.0
// late_sessions: finds the sessions of a client that the servers do not accept.
//
// A server allows a limited number of connections from one address (maxClientCnxns, by default 60). It closes each
// further connection without a message, and the client tries again for ever. Only time shows this: one session of the
// client is attached, and another one has not been attached for longer than `patience` since it was opened. Then the
// log reports it once for a client. The waiters of that session are refused, since they have no znodes yet. New
// contenders avoid that session until it is attached.
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

    // `all` returns the client's sessions, from any thread. `all` and `timers` outlive the timer calls, which end when
    // the timers stop.
    late_sessions(client_timers& timers, std::function<sessions()> all, core::duration patience)
        : timers_{timers}, all_{std::move(all)}, patience_{patience} {}
    late_sessions(const late_sessions&) = delete;
    late_sessions& operator=(const late_sessions&) = delete;
    ~late_sessions() = default;

    // Registers that the client has opened another session.
    void expect() { timers_.arm(*this, boottime_clock::now() + patience_); }

    void on_timer() override;

private:
    client_timers& timers_;
    const std::function<sessions()> all_;
    const core::duration patience_;
    std::atomic<bool> told_{false};
};

// The error for waiters of a session that is not attached while `attached` other sessions are.
[[nodiscard]] error no_more_connections(std::size_t attached);

}  // namespace turnstile::detail
