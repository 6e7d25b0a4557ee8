// SPDX-License-Identifier: Apache-2.0
// hold_clock: stores, for each contender, the end of its hold's time limit, the time of the warning before the end of
// its hold, and the end of the lock delay, for which the contender waits after a holder's crash. Most contenders have
// none of these times.
//
// Thread safety: none, a value.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/session/id_set.hpp"
#include "core/session/timetable.hpp"

namespace turnstile::core {

class hold_clock {
public:
    // `warn_before`: zero for no warning; `max_hold`: zero for no limit.
    void add(contender_id id, duration warn_before, duration max_hold);
    // Returns the end of a hold that is granted now; nothing if the hold has no limit.
    [[nodiscard]] std::optional<time_point> granted(contender_id id, time_point now);
    // Called when the contender has changed. `delay_end`: the end of the lock delay for which the contender waits.
    void update(contender_id id, bool holds, std::optional<time_point> delay_end);
    void forget(contender_id id);

    [[nodiscard]] std::optional<time_point> next_end() const { return ends_.next(); }
    [[nodiscard]] std::optional<time_point> next_delay_end() const { return delay_ends_.next(); }
    [[nodiscard]] std::optional<time_point> next_warning(time_point lease_end) const;

    [[nodiscard]] std::optional<contender_id> take_ended(time_point now) {
        return ends_.take_due(now);
    }
    // Returns a contender whose lock delay has ended. Later calls return the same contender until `update` is called
    // for it.
    [[nodiscard]] std::optional<contender_id> delay_over(time_point now) const {
        return delay_ends_.due(now);
    }
    [[nodiscard]] std::vector<contender_id> take_warnings(time_point now, time_point lease_end);

    friend bool operator==(const hold_clock&, const hold_clock&) = default;

private:
    struct limits {
        duration warn_before{};
        duration max_hold{};
        std::optional<time_point> hold_end{};
        std::optional<time_point> delay_end{};
        bool warned = false;
        friend bool operator==(const limits&, const limits&) = default;
    };
    [[nodiscard]] static time_point warning_time(const limits& hold, time_point lease_end);

    std::map<contender_id, limits> limits_;  // only contenders that have a limit or a warning
    timetable<contender_id> ends_;
    timetable<contender_id> delay_ends_;
    id_set warned_ahead_;  // holds that want a warning before their end
};

}  // namespace turnstile::core
