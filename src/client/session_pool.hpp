// SPDX-License-Identifier: Apache-2.0
// session_pool: the sessions of a client, and the choice of the session for a new contender.
//
// The pool gives a new contender to the first session that has room, and prefers connected sessions. The znodes of a
// session are limited: when a session ends, the servers put all its znodes into one transaction, and they cannot read
// back a transaction that is too long (docs/reference/failures.md, F38). If no session has room, the pool opens another
// session, unless max_sessions are open or the servers accept no more connections (late_sessions.hpp). The pool
// reserves room under its lock. The znode of a contender counts from the caller's call on, even before it exists.
//
// Thread safety: all members from any thread. Lock order: this lock, then the lock of a session.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "client/acquire_request.hpp"
#include "client/late_sessions.hpp"
#include "client/session_hold.hpp"
#include "client/session_runner.hpp"
#include "turnstile/client_options.hpp"

namespace turnstile::detail {

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
