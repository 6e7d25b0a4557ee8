// SPDX-License-Identifier: Apache-2.0
// unproven_answers: the answered requests of one connection that no write has proven yet, (b) of lease.hpp.
//
// A follower relays touches at most R after it has answered: a write that was sent R after an answer, or later, proves
// that request if it commits. Answers closer together than a grain are left out: fewer only make the lease shorter,
// never longer, and their number stays bounded.
//
// A pure value. Thread safety: none.
#pragma once

#include <deque>
#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::core {

class unproven_answers {
public:
    // A request that was sent later than those before it by a grain, or more, is kept. `bound`: R on this connection.
    void remember(time_point sent, time_point received, duration grain, duration bound);
    // The send time of the earliest request left that a write sent at `write` proves; it is forgotten. Called until there
    // is nothing: the last one is the latest that the write proves.
    [[nodiscard]] std::optional<time_point> take_proven(time_point write, duration bound);
    // The first instant from which on a write, if it commits, proves a request; nothing if there is none to prove.
    [[nodiscard]] std::optional<time_point> next_proof(duration bound) const;
    void forget() noexcept { samples_.clear(); }

    friend bool operator==(const unproven_answers&, const unproven_answers&) = default;

private:
    struct sample {
        time_point sent;
        time_point received;
        friend bool operator==(const sample&, const sample&) = default;
    };

    std::deque<sample> samples_;  // in the order in which they were sent
};

}  // namespace turnstile::core
