// SPDX-License-Identifier: Apache-2.0
// sharing_action: `caller`, which describes a thread that waits for a shared contender; and the actions that a
// local_queue returns. The user of the local_queue executes the actions in the order in which it gets them.
//
// Thread safety: none, values.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "core/composite/local_holder.hpp"
#include "core/contender/contender_core.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core::sharing {

struct caller {
    local_id id{};
    // `attempt::once`: the caller gets the lock only if no other caller of this process and no other process is ahead.
    attempt mode = attempt::wait;
    std::optional<time_point> deadline{};
    duration max_hold{};     // zero: no limit
    duration warn_before{};  // zero: never
    friend bool operator==(const caller&, const caller&) = default;
};

struct ask {
    std::uint64_t contender = 0;
    attempt mode = attempt::wait;
    friend bool operator==(const ask&, const ask&) = default;
};

struct withdraw {  // end the wait for this contender soon; the answer still comes
    std::uint64_t contender = 0;
    friend bool operator==(const withdraw&, const withdraw&) = default;
};

struct give_back {
    std::uint64_t contender = 0;
    friend bool operator==(const give_back&, const give_back&) = default;
};

// The fencing token of the hold consists of the contender's token and `counter`, the number of earlier grants under the
// same contender.
struct tell_granted {
    local_id id{};
    std::uint64_t contender = 0;
    std::uint32_t counter = 0;
    std::optional<time_point> until{};  // the end by the holder's own time limit
    friend bool operator==(const tell_granted&, const tell_granted&) = default;
};

struct tell_refused {
    local_id id{};
    error why;
    friend bool operator==(const tell_refused&, const tell_refused&) = default;
};

struct tell_lost {
    local_id id{};
    error why;
    friend bool operator==(const tell_lost&, const tell_lost&) = default;
};

struct tell_expiring {  // less than the holder's `warn_before` is left
    local_id id{};
    friend bool operator==(const tell_expiring&, const tell_expiring&) = default;
};

using action =
    std::variant<ask, withdraw, give_back, tell_granted, tell_refused, tell_lost, tell_expiring>;

}  // namespace turnstile::core::sharing
