// SPDX-License-Identifier: Apache-2.0
// session_basics: the data that the parts of a session (session_owners.hpp) share: the current time, deadlines, and
// actions for the client.
//
// Thread safety: none, a value.
#pragma once

#include <optional>
#include <vector>

#include "base/random.hpp"
#include "core/seam/seam.hpp"
#include "core/session/session_messages.hpp"
#include "core/session/timetable.hpp"

namespace turnstile::core {

struct session_basics {
    time_point now{};
    base::random chance{0};
    ticket_counter tickets;
    timetable<awaited_id> deadlines;  // deadlines of callers
    std::vector<action> actions;      // actions that the client has not taken yet
    friend bool operator==(const session_basics&, const session_basics&) = default;
};

[[nodiscard]] inline bool has_come(const std::optional<time_point>& time, time_point now) {
    return time && *time <= now;
}

}  // namespace turnstile::core
