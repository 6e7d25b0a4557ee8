// SPDX-License-Identifier: Apache-2.0
// session_pool: the sessions of a client, and the choice of the session for a new contender.
//
// The pool gives a new contender to the first session that has room, and prefers connected sessions. The znodes of a
// session are limited: when a session ends, the servers put all its znodes into one transaction, and they cannot read
// back a transaction that is too long (docs/reference/failures.md, F38). If no session has room, the pool opens another
// session, unless max_sessions are open or the servers accept no more connections (late_sessions). The pool reserves
// room under its lock. The znode of a contender counts from the caller's call on, even before it exists.
//
// Thread safety: all members from any thread. Lock order: this lock, then the lock of a session.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "client/acquire_request.hpp"
#include "client/session_hold.hpp"
#include "client/session_runner.hpp"
#include "client/timer_thread.hpp"
#include "turnstile/client_options.hpp"

namespace turnstile::detail {

// Finds a client's sessions that get no connection, because the servers limit the connections from one address.
//
// A server allows a limited number of connections from one address (maxClientCnxns, by default 60). It closes each
// further connection without a message, and the client tries again for ever. So a session counts as late if another
// session of the client is attached, and this session was not attached within `patience` after its opening. The client
// logs this once in its life. The late session refuses its waiters, which have no znodes yet. New contenders use other
// sessions until the late session is attached.
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

class session_pool {
public:
    // The client owns both arguments, and must start the services before it calls open().
    session_pool(const client_options& options, std::shared_ptr<client_services> services)
        : options_{options}, services_{std::move(services)} {}

    // Opens the client's first sessions. Throws what the coordinator throws.
    void open();
    // Makes the hold of a contender in a session that has reserved room for it. The caller must start the contender.
    // Errors: `closed`, `too_many`.
    [[nodiscard]] result<std::shared_ptr<session_hold>> place(acquire_request& request);
    [[nodiscard]] std::vector<std::shared_ptr<session_runner>> all() const;
    [[nodiscard]] std::shared_ptr<session_runner> first() const { return all().front(); }
    // True if `session` is a former session of this client. The znodes of a former session may still exist for a while.
    [[nodiscard]] bool has_left(std::int64_t session) const;
    // Opens no more sessions and ends all sessions. Waits until the deadline at most for the end of their holds. Then
    // the workers close the sessions at the servers.
    void close(boottime_clock::time_point deadline);

private:
    [[nodiscard]] result<std::shared_ptr<session_runner>> with_room(const acquire_request& request);
    [[nodiscard]] std::shared_ptr<session_runner> make(std::size_t index) const;

    const client_options& options_;
    const std::shared_ptr<client_services> services_;
    std::unique_ptr<late_sessions> late_;  // made by open()

    mutable base::mutex mutex_;
    std::vector<std::shared_ptr<session_runner>> sessions_ GUARDED_BY(mutex_);
    bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace turnstile::detail
