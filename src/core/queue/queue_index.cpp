// SPDX-License-Identifier: Apache-2.0
#include "core/queue/queue_index.hpp"

#include <algorithm>
#include <limits>

#include "base/check.hpp"

namespace turnstile::core {

queue_index::queue_index(const std::vector<std::string>& children, contender_family family)
    : family_{family} {
    if (family != contender_family::lock && family != contender_family::latch) return;
    for (const auto& child : children) {
        const auto number = contender_sequence(child, family);
        if (!number) {
            if (const auto other = parse_contender(child)) foreign_.push_back(*other);
            continue;
        }
        if (line_.empty()) first_ = *number;
        line_.emplace_back(sequence_distance(*number, first_), &child);
        if (!at_counter_end(*number)) continue;
        line_.clear();
        return;
    }
    std::sort(line_.begin(), line_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    const bool ties =
        std::adjacent_find(line_.begin(), line_.end(), [](const auto& a, const auto& b) {
            return a.first == b.first;
        }) != line_.end();
    // Sequence numbers wrap. If the queue spans more than 2^31 - 1 numbers, the order depends on the number from which
    // it is measured. Then no sorted list is right for all contenders.
    const bool wide = !line_.empty() && line_.back().first - line_.front().first >
                                            std::numeric_limits<std::int32_t>::max();
    if (ties || wide) line_.clear();
}

std::optional<decision> queue_index::decide(const std::string& self) const {
    const auto number = contender_sequence(self, family_);
    if (!number || line_.empty()) return std::nullopt;
    const std::int64_t where = sequence_distance(*number, first_);
    const auto place =
        std::lower_bound(line_.begin(), line_.end(), where,
                         [](const auto& entry, std::int64_t at) { return entry.first < at; });
    if (place == line_.end() || *place->second != self) return std::nullopt;
    TURNSTILE_CHECK(place->first == where);
    decision result;
    result.ahead = static_cast<std::size_t>(place - line_.begin());
    result.verdict = result.ahead == 0 ? verdict::granted : verdict::wait_on;
    if (result.ahead != 0) result.predecessor = *(place - 1)->second;
    std::int32_t foremost = 0;
    for (const auto& other : foreign_) {
        const auto distance = sequence_distance(other.sequence, *number);
        if (distance >= foremost) continue;
        foremost = distance;
        result.foreign = core::family(other.wants.kind);
    }
    return result;
}

}  // namespace turnstile::core
