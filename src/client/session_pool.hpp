// SPDX-License-Identifier: Apache-2.0
// session_pool: the sessions of a client, and the choice of the session for a new contender.
//
// A new contender goes to the first session that has room: what one session owns is bounded, since the servers put all
// of it into one transaction when the session ends, and one that is too long cannot be read back (F38). Sessions that
// are connected come first; when none has room the pool opens a further session, unless the servers take no more
// connections (late_sessions.hpp). Room is reserved under the pool's lock; what a session owns or will own counts from
// the call on, attached or not.
//
// Thread safety: all members from any thread. Lock order: this lock, then a session's.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "client/acquire_request.hpp"
#include "client/late_sessions.hpp"
#include "client/session_runner.hpp"
#include "turnstile/client_options.hpp"

namespace turnstile::detail {

class session_pool {
public:
    // Both are the client's; the services are started before open().
    session_pool(const client_options& options, std::shared_ptr<client_services> services)
        : options_{options}, services_{std::move(services)} {}

    // Opens the client's first sessions. Throws what the coordinator throws.
    void open();
    // A session in which room for the contender has been reserved. Errors: `closed`, `too_many`.
    [[nodiscard]] result<std::shared_ptr<session_runner>> with_room(const acquire_request& request);
    [[nodiscard]] std::vector<std::shared_ptr<session_runner>> all() const;
    [[nodiscard]] std::shared_ptr<session_runner> first() const { return all().front(); }
    // True for a session of this client that is over for it, though its znodes may stand for a while.
    [[nodiscard]] bool has_left(std::int64_t session) const;
    // Opens no further session, and ends all. Waits at most until the deadline for their holds to go; the workers end
    // the sessions at the servers.
    void close(boottime_clock::time_point deadline);

private:
    [[nodiscard]] std::shared_ptr<session_runner> make(std::size_t index) const;
    [[nodiscard]] error no_room() const REQUIRES(mutex_);

    const client_options& options_;
    const std::shared_ptr<client_services> services_;
    std::unique_ptr<late_sessions> late_;  // from open() on

    mutable base::mutex mutex_;
    std::vector<std::shared_ptr<session_runner>> sessions_ GUARDED_BY(mutex_);
    bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace turnstile::detail
