// SPDX-License-Identifier: Apache-2.0
// session_core_settings: the settings of a session. Thread safety: none needed, a value.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/random.hpp"
#include "core/lease/lease.hpp"
#include "core/lease/relay_bound.hpp"
#include "core/seam/seam.hpp"
#include "core/session/batches.hpp"
#include "core/session/request_window.hpp"
#include "turnstile/client_options.hpp"

namespace turnstile::core {

// Number of waiters next in line that may watch their own znodes (docs/why/mutex.md, step 4).
inline constexpr std::size_t k_most_watched_in_line = 64;

// Lower limit for two waits that usually last one session timeout: the wait before the client gives up a session that
// no server takes back, and the wait before the session searches for the leader again.
inline constexpr duration k_least_patience = std::chrono::seconds{5};

// Limits for a session's watches. After a reconnect the C client sets all watches again in one packet. A server refuses
// a packet above its jute.maxbuffer, 1 MiB by default, and closes the connection. While the session is within these
// limits, it accepts more contenders, and a waiter for permits watches each contender ahead separately. The contenders'
// own paths have at most 128 KiB in sum (client/session_parts.hpp). Each contender may watch three paths no longer than
// its own (the contender ahead, its own znode, the folder), and the folder's children. The sum of these paths
// is at most half a MiB. With 256 KiB for the waiters for permits the packet stays below 1 MiB.
struct watch_limits {
    // The largest number of contenders ahead that a waiter for permits watches. If more contenders are ahead, the
    // waiter watches the folder's children instead.
    std::size_t permits = 64;
    std::size_t bytes = 256 * 1024;  // bytes of all paths that the session watches
    friend bool operator==(const watch_limits&, const watch_limits&) = default;
};

// The servers to which a session may connect.
enum class placement {
    anywhere,
    at_the_leader,
    automatic,  // any server while leases are ample there, else the leader
};

struct session_core_settings {
    lease_rule lease;
    // The user's setting for the interval between two confirmations, the writes that extend the lease.
    // confirmation_pace may choose another interval.
    duration confirm_every{};
    acl_policy acl = acl_policy::open;
    // The first and the longest wait before the session opens again, and before it repeats a failed request.
    duration retry_first{};
    duration retry_longest{};
    duration connection_timeout{};  // see silence_watch in connection_failures.hpp
    base::random chance{0};         // for jitter and GUIDs
    std::string servers;            // the servers' names, for messages
    std::size_t chroot = 0;         // bytes that the servers put before each path
    unsigned index = 0;             // number of this session among its client's sessions
    removal_limits removals;
    creation_limits creations;
    window_limits window;
    std::size_t watched_in_line = k_most_watched_in_line;
    watch_limits watches;
    // Values from which the client computes the relay bound: how late the leader may learn of a request that a follower
    // has answered (core/lease/relay_bound.hpp). Nothing: the bound is the value in lease_rule, whatever the servers
    // report.
    std::optional<relay_terms> relay{};
    placement place = placement::anywhere;
    foreign_kind_policy foreign_kinds = foreign_kind_policy::warn;
    bool numbers_count_creates = false;
    bool roles_asked = true;    // the coordinator reports roles
    bool roles_trusted = true;  // a reported role is of the server that the session is attached to
    friend bool operator==(const session_core_settings&, const session_core_settings&) = default;
};

}  // namespace turnstile::core
