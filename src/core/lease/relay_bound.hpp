// SPDX-License-Identifier: Apache-2.0
// relay_bound: the longest time between a follower's answer to a request and the moment at which the leader learns of
// that request (R in docs/why/lease.md).
//
// The bound is (syncLimit + 1) * tickTime of the servers. If the option `assumed_stall` is set, the bound is the
// option's value plus half a tick.
// Values that the user does not set come from the servers' report, or else from ZooKeeper's sample configuration. A
// long granted session timeout may come from a long tick, since servers with default limits grant from 2 to 20 ticks.
// So the granted timeout can lengthen the assumed tick, but never shortens it.
//
// Thread safety: values and pure functions.
#pragma once

#include <chrono>
#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::core {

inline constexpr duration k_sample_tick = std::chrono::seconds{2};
inline constexpr int k_sample_sync_limit = 5;

struct relay_terms {
    duration tick{};           // zero: use the servers' report
    int sync_limit = 0;        // zero: use the servers' report
    duration assumed_stall{};  // zero: use the proven bound
    duration asked{};          // the session timeout that the client requests
    friend bool operator==(const relay_terms&, const relay_terms&) = default;
};

// `told`: the tick and the syncLimit that the session's server reports. `granted`: the granted session timeout; zero
// before the session's first connection.
[[nodiscard]] duration relay_bound(const relay_terms& terms, const std::optional<server_pace>& told,
                                   duration granted);

}  // namespace turnstile::core
