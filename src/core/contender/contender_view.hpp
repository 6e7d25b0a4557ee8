// SPDX-License-Identifier: Apache-2.0
// contender_view: what a contender sees of its session while it handles one event.
//
// The session fills it in before the event, and what the contender asks for in the event changes nothing in it.
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

// What the commits of a hold see, too.
struct session_view {
    bool attached = false;         // to a server with a majority
    std::uint64_t connection = 0;  // the number of the latest connection
};

struct contender_view : session_view {
    time_point now{};
    std::int64_t session_id = 0;
    // The lease is valid, with a margin in which a first confirmation is answered (confirmation_pace::lasts).
    bool lease_lasts = false;
    // A znode may be created here: the session is where it is to stay, or leases last well wherever it is. And it is this
    // contender's turn (request_window.hpp).
    bool may_enter = true;
    // Several are given up in one go: their znodes go together, the znodes of holds too.
    bool gathers_removals = false;
    // Of the folder that the contender enters (core/session/sole_contender_memory.hpp): a list need not go with the create;
    // the number by which the create shows that none is ahead.
    bool omits_list = false;
    std::optional<std::int32_t> sole_number{};
    // No hold can become certain on this connection: a znode would only stand in others' way.
    std::optional<error> no_lease{};
    // How long another client's write into our znode may be unknown at a grant: half of what a `take` leaves beside the
    // hold's first confirmation and lease, one interval at most (confirmation_pace::unseen_for).
    duration unseen_for{};
    double clock_drift = 0;
    acl_policy acl = acl_policy::open;
    create_mode parent_mode = create_mode::container;  // or persistent
    foreign_kind_policy foreign_kinds = foreign_kind_policy::warn;

    // ---- the room for watches ----
    std::size_t most_permits_watched = 0;  // ahead of one contender that waits for permits
    std::size_t bytes_watched = 0;         // of the session's paths, as the servers spell them
    std::size_t most_bytes_watched = 0;
    std::size_t chroot = 0;  // bytes that the servers' paths have before ours

    // The list whose answer is handled now, if it is prepared for several contenders.
    prepared_list* list = nullptr;
};

}  // namespace turnstile::core
