// SPDX-License-Identifier: Apache-2.0
// Settings of a session. A value. Thread safety: none needed.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/random.hpp"
#include "core/lease/lease.hpp"
#include "core/lease/relay_bound.hpp"
#include "core/seam/seam.hpp"
#include "core/session/creation_batch.hpp"
#include "core/session/removal_queue.hpp"
#include "core/session/request_window.hpp"
#include "turnstile/client_options.hpp"

namespace turnstile::core {

// Number of waiters next in line that watch their own znodes (docs/why/revocation.md).
inline constexpr std::size_t k_most_watched_in_line = 64;

// A session that no server takes back is given up after two of its timeouts; the search for the leader starts again
// after one timeout. Both wait at least this long.
inline constexpr duration k_least_patience = std::chrono::seconds{5};

// Limits for a session's watches. After a reconnect the C client sets all watches again in one packet. A server refuses
// a packet above its jute.maxbuffer, 1 MiB by default, and closes the connection. Within the limits, a waiter for
// permits watches the permits ahead one by one, and the session accepts more contenders. The contenders that it has
// then, with paths of 128 KiB in sum, may each watch three paths no longer than their own (the contender ahead, the own
// znode, the folder), and the folder's children. That is half a MiB, and with 256 KiB of permits still below 1 MiB.
struct watch_limits {
    // Permits ahead of one waiter for permits. Above this number it watches the folder's children instead.
    std::size_t permits = 64;
    std::size_t bytes = 256 * 1024;  // all paths that the session watches
    friend bool operator==(const watch_limits&, const watch_limits&) = default;
};

// The servers to which a session is to be attached.
enum class placement {
    anywhere,
    at_the_leader,
    automatic,  // any server while leases are ample there, else the leader
};

struct session_core_settings {
    lease_rule lease;
    // Zero, or too long to keep a lease of the negotiated timeout alive: a fifth of that timeout is used.
    duration confirm_every{};
    acl_policy acl = acl_policy::open;
    duration retry_first{};
    duration retry_longest{};
    duration connection_timeout{};  // silence_watch.hpp
    base::random chance{0};         // jitter and GUIDs
    std::string servers;            // for messages
    std::size_t chroot = 0;         // bytes that the servers put before each of our paths
    unsigned index = 0;             // number of this session among the client's sessions
    removal_limits removals;
    creation_limits creations;
    window_limits window;
    std::size_t watched_in_line = k_most_watched_in_line;
    watch_limits watches;
    // The values for the relay bound. Nothing: the lease's rule has the bound, whatever the servers report.
    std::optional<relay_terms> relay{};
    placement place = placement::anywhere;
    foreign_kind_policy foreign_kinds = foreign_kind_policy::warn;
    // coordinator::numbers_count_creates
    bool numbers_count_creates = false;
    bool roles_asked = true;    // the coordinator reports roles
    bool roles_trusted = true;  // a reported role is of the server that the session is attached to
    friend bool operator==(const session_core_settings&, const session_core_settings&) = default;
};

}  // namespace turnstile::core
