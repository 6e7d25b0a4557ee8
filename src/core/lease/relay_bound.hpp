// SPDX-License-Identifier: Apache-2.0
// relay_bound: how much later than a follower the leader may hear of a session (docs/why/lease.md, R).
//
// It is (syncLimit + 1) * tickTime of the servers. What the user says of them comes first, then what the servers say
// of themselves, then the sample configuration. The time-out that they grant can only make it longer: servers whose
// bounds are not configured grant from 2 to 20 ticks, so that a long one may come from a long tick.
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
    duration tick{};           // zero: as the servers say
    int sync_limit = 0;        // zero: as the servers say
    duration assumed_stall{};  // zero: the proven bound
    duration asked{};          // the session time-out that is asked for
    friend bool operator==(const relay_terms&, const relay_terms&) = default;
};

// `told`: by the server that the session is attached to. `granted`: the time-out; zero before the first attach.
[[nodiscard]] duration relay_bound(const relay_terms& terms, const std::optional<server_pace>& told,
                                   duration granted);

}  // namespace turnstile::core
