// What a session is told when it is made. A value; thread safety: none needed.
#pragma once

#include <cstddef>
#include <string>

#include "base/random.hpp"
#include "core/lease.hpp"
#include "core/removal_queue.hpp"
#include "core/seam.hpp"

namespace turnstile::core {

// Of those who wait next in line, so many watch their own znodes (docs/revocation.md).
inline constexpr std::size_t k_most_watched_in_line = 64;

struct session_core_settings {
    lease_rule lease;
    // Zero, or more than would keep a lease of the negotiated time-out alive: a fifth of that.
    duration confirm_every{};
    acl_policy acl = acl_policy::open;
    duration retry_first{};
    duration retry_longest{};
    base::random chance{0};  // jitter and GUIDs
    std::string servers;     // for messages
    unsigned index = 0;      // which of the client's sessions
    removal_limits removals;
    std::size_t watched_in_line = k_most_watched_in_line;
    friend bool operator==(const session_core_settings&, const session_core_settings&) = default;
};

}  // namespace turnstile::core
