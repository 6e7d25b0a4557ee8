// SPDX-License-Identifier: Apache-2.0
// unproven_answers: answered requests of one connection that no write has proven yet: (b) in lease.hpp.
//
// A follower relays a touch at most R after its answer. So a write that is sent at least R after the answer to a
// request proves that request, if the write commits. Of requests sent within one grain only the first is stored: fewer
// samples can make the lease shorter, never longer, and their number stays bounded.
//
// A pure value. Thread safety: none.
#pragma once

#include <deque>
#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::core {

class unproven_answers {
public:
    // Stores the request if it was sent at least `grain` after the latest stored one. `bound`: R on this connection.
    void remember(time_point sent, time_point received, duration grain, duration bound);
    // Removes the earliest stored request and returns its send time, if a write sent at `write` proves it. The caller
    // repeats the call until it returns nothing: the last value is the latest that the write proves.
    [[nodiscard]] std::optional<time_point> take_proven(time_point write, duration bound);
    // The first instant at which a write can prove a stored request, if it commits. Nothing if none is stored.
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
