// SPDX-License-Identifier: Apache-2.0
// unproven_answers: stores the answered requests of one connection until a write proves that they reached the leader
// while the session existed (rule (b) in lease.hpp).
//
// A follower reports an answered request to the leader at most R (the relay bound) after the answer. So a write gives
// this proof if it was sent at least R after the answer, and commits. Of several requests sent within a short time
// (`grain`) only the first is stored. Fewer stored requests can make the lease shorter, never longer, and their number
// stays bounded.
//
// A pure value. Thread safety: none.
#pragma once

#include <deque>
#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::core {

class unproven_answers {
public:
    // Stores the request, unless it was sent less than `grain` after the latest stored request. `bound`: how late the
    // leader may learn of a request that this connection's server has answered (relay bound).
    void remember(time_point sent, time_point received, duration grain, duration bound);
    // Removes the earliest stored request and returns its send time, if a committed write that was sent at `write`
    // proves that the request reached the leader. The caller repeats the call until it returns nothing. The send time
    // that the last successful call returned is the latest that the write proves.
    [[nodiscard]] std::optional<time_point> take_proven(time_point write, duration bound);
    // Returns the earliest send time of a write whose commit can prove that a stored request reached the leader.
    // Returns nothing if no request is stored.
    [[nodiscard]] std::optional<time_point> next_proof(duration bound) const;
    void forget() noexcept { samples_.clear(); }

    friend bool operator==(const unproven_answers&, const unproven_answers&) = default;

private:
    struct sample {
        time_point sent;
        time_point received;
        friend bool operator==(const sample&, const sample&) = default;
    };

    std::deque<sample> samples_;  // in sending order
};

}  // namespace turnstile::core
