// SPDX-License-Identifier: Apache-2.0
// timetable: the times at which contenders, inquiries or commits of a session must act, the earliest first.
//
// Thread safety: none, a value.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "core/seam/seam.hpp"

namespace turnstile::core {

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

}  // namespace turnstile::core
