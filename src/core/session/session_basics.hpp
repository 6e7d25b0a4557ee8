// SPDX-License-Identifier: Apache-2.0
// session_basics: the data that the parts of a session (session_owners.hpp) share: the current time, deadlines, and
// actions for the client. Also the containers in which these parts keep contenders and times.
//
//     timetable   the times at which contenders, inquiries or commits must act
//
// Thread safety: none, values.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <boost/container/flat_set.hpp>

#include "base/random.hpp"
#include "base/release_if_empty.hpp"
#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"
#include "core/session/session_messages.hpp"

namespace turnstile::core {

// id_set: a set of contenders of a session. Ids only grow, and a session has a few thousand contenders at most. So a
// sorted array is faster and smaller than a tree.
using id_set = boost::container::flat_set<contender_id>;

inline void keep(id_set& set, contender_id id, bool in) {
    if (in) {
        set.insert(id);
    } else if (!set.empty()) {
        set.erase(id);
        base::release_if_empty(set);
    }
}

// timetable: the times at which contenders, inquiries or commits of a session must act, the earliest first.
template <class Id>
class timetable {
public:
    void add(time_point time, Id id) { entries_.emplace(time, id); }
    void remove(time_point time, Id id) { entries_.erase({time, id}); }
    [[nodiscard]] std::optional<time_point> next() const {
        return entries_.empty() ? std::nullopt : std::optional{entries_.begin()->first};
    }
    [[nodiscard]] std::optional<Id> due(time_point now) const {
        if (entries_.empty() || entries_.begin()->first > now) return std::nullopt;
        return entries_.begin()->second;
    }
    [[nodiscard]] std::optional<Id> take_due(time_point now) {
        const auto id = due(now);
        if (id) entries_.erase(entries_.begin());
        return id;
    }

    friend bool operator==(const timetable&, const timetable&) = default;

private:
    std::set<std::pair<time_point, Id>> entries_;
};

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
