// SPDX-License-Identifier: Apache-2.0
// contender_view: the part of a session's state that a contender sees while it handles one event.
//
// The session fills it in before the event. Effects of the event do not change it.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/queue/queue_index.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

// The part that the commits of a hold see as well.
struct session_view {
    bool attached = false;         // attached to a server with a majority
    std::uint64_t connection = 0;  // the number of the latest connection
};

struct contender_view : session_view {
    time_point now{};
    std::int64_t session_id = 0;
    // The lease is valid, with a margin in which the first confirmation is answered (confirmation_pace::lasts).
    bool lease_lasts = false;
    // A znode may be created here. The session is at its final server, or leases are ample at any server. It is also
    // this contender's turn (request_window.hpp).
    bool may_enter = true;
    // For the folder that the contender enters (core/session/sole_contender_memory.hpp). omits_list: no list need go
    // with the create. sole_number: a create with this number shows that no contender is ahead.
    bool omits_list = false;
    std::optional<std::int32_t> sole_number{};
    // No hold can become certain on this connection: a znode would only block other contenders.
    std::optional<error> no_lease{};
    // At a grant, the longest time for which the contender may not have seen that another client wrote into its znode.
    // It is half of the time that a `take` waits beyond the hold's first confirmation and lease, and at most one
    // interval of confirmations (confirmation_pace::unseen_for).
    duration unseen_for{};
    double clock_drift = 0;
    acl_policy acl = acl_policy::open;
    create_mode parent_mode = create_mode::container;  // or persistent
    foreign_kind_policy foreign_kinds = foreign_kind_policy::warn;

    // ---- the room for watches ----
    // Most contenders ahead that one waiter for permits watches.
    std::size_t most_permits_watched = 0;
    std::size_t bytes_watched = 0;  // bytes of the session's paths, in the servers' spelling
    std::size_t most_bytes_watched = 0;
    std::size_t chroot = 0;  // bytes that the servers put before each of our paths

    // The list whose answer is being handled, if it is prepared for several contenders.
    prepared_list* list = nullptr;
};

}  // namespace turnstile::core
