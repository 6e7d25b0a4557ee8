// SPDX-License-Identifier: Apache-2.0
// What a session is told when it is made. A value; thread safety: none needed.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/random.hpp"
#include "core/lease/lease.hpp"
#include "core/lease/relay_bound.hpp"
#include "core/seam/seam.hpp"
#include "core/session/removal_queue.hpp"
#include "core/session/request_window.hpp"
#include "turnstile/client_options.hpp"

namespace turnstile::core {

// Of the waiters next in line, so many watch their own znodes (docs/why/revocation.md).
inline constexpr std::size_t k_most_watched_in_line = 64;

// A session that no server takes back is given up after two of its time-outs, and not sooner than this; the leader is
// sought again after one, and not sooner.
inline constexpr duration k_least_patience = std::chrono::seconds{5};

// What a session's watches may take in the one packet in which the C client sets them again after a reconnect: a
// server refuses one above its jute.maxbuffer, 1 MiB by default, and closes the connection. Within the bound the
// permits ahead of a wait for permits are watched one by one, and the session is given more contenders. The contenders
// that it has then, with paths of 128 KiB, may each come to watch three paths that are no longer than their own (the
// one ahead, its own, its folder), and the folder's children: half a MiB, with 256 KiB of permits below the limit.
struct watch_limits {
    // Ahead of a contender that waits for permits; beyond that, the folder's children are watched.
    std::size_t permits = 64;
    std::size_t bytes = 256 * 1024;  // of paths, of the session
    friend bool operator==(const watch_limits&, const watch_limits&) = default;
};

// Which servers a session is to be attached to.
enum class placement {
    anywhere,
    at_the_leader,
    automatic,  // anywhere while leases last comfortably there, else at the leader
};

struct session_core_settings {
    lease_rule lease;
    // Zero, or more than would keep a lease of the negotiated time-out alive: a fifth of that.
    duration confirm_every{};
    acl_policy acl = acl_policy::open;
    duration retry_first{};
    duration retry_longest{};
    duration connection_timeout{};  // silence_watch.hpp
    base::random chance{0};         // jitter and GUIDs
    std::string servers;            // for messages
    std::size_t chroot = 0;         // bytes that the servers' paths have before ours
    unsigned index = 0;             // which of the client's sessions
    removal_limits removals;
    window_limits window;
    std::size_t watched_in_line = k_most_watched_in_line;
    watch_limits watches;
    // What the relay bound is made of; nothing: the lease's rule has it, whatever the servers say.
    std::optional<relay_terms> relay{};
    placement place = placement::anywhere;
    foreign_kind_policy foreign_kinds = foreign_kind_policy::warn;
    // coordinator::numbers_count_creates
    bool numbers_count_creates = false;
    bool roles_asked = true;    // the coordinator tells them
    bool roles_trusted = true;  // what is told is of the server that the session is attached to
    friend bool operator==(const session_core_settings&, const session_core_settings&) = default;
};

}  // namespace turnstile::core
