// SPDX-License-Identifier: Apache-2.0
// unproven_answers: answered requests of one connection that no write has proven yet, for rule (b) in lease.hpp.
//
// A follower reports an answered request to the leader at most R (the relay bound) after its answer. So if a write was
// sent at least R after an answer and commits, the write proves the answered request. Of several requests sent within a
// short time (`grain`) only the first is stored. Fewer stored requests can make the lease shorter, never longer, and
// their number stays bounded.
//
// A pure value. Thread safety: none.
#pragma once

#include <deque>
#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::core {

class unproven_answers {
public:
    // Stores the request, unless it was sent less than `grain` after the latest stored request. `bound`: the relay
    // bound R on this connection.
    void remember(time_point sent, time_point received, duration grain, duration bound);
    // Removes the earliest stored request and returns its send time, if a write that was sent at `write` proves the
    // request. The caller repeats the call until it returns nothing. The last value is the latest send time that the
    // write proves.
    [[nodiscard]] std::optional<time_point> take_proven(time_point write, duration bound);
    // Returns the first instant at which a write, if it commits, can prove a stored request; nothing if no request is
    // stored.
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
