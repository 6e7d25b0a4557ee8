// SPDX-License-Identifier: Apache-2.0
// late_sessions: finds a client's sessions that get no connection, because the servers limit the connections from one
// address.
//
// A server allows a limited number of connections from one address (maxClientCnxns, by default 60). It closes each
// further connection without a message, and the client tries again for ever. So a session counts as late if another
// session of the client is attached, and this session was not attached within `patience` after its opening. The client
// logs this once in its life. The late session refuses its waiters, which have no znodes yet. New contenders use other
// sessions until the late session is attached.
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

    // `all` returns the client's sessions, and may be called from any thread. `all` and `timers` must live until the
    // timers have stopped.
    late_sessions(client_timers& timers, std::function<sessions()> all, core::duration patience)
        : timers_{timers}, all_{std::move(all)}, patience_{patience} {}
    late_sessions(const late_sessions&) = delete;
    late_sessions& operator=(const late_sessions&) = delete;
    ~late_sessions() = default;

    // Called when the client has opened another session. Checks after `patience` whether that session was attached.
    void expect() { timers_.arm(*this, boottime_clock::now() + patience_); }

    void on_timer() override;

private:
    client_timers& timers_;
    const std::function<sessions()> all_;
    const core::duration patience_;
    std::atomic<bool> told_{false};
};

// Returns the error for waiters of a session that is not attached, while `attached` other sessions are attached.
[[nodiscard]] error no_more_connections(std::size_t attached);

}  // namespace turnstile::detail
