// SPDX-License-Identifier: Apache-2.0
#include "core/queue/queue_rule.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "core/queue/contender_name.hpp"

namespace turnstile::core {

namespace {

// The position of a contender relative to self: the distance of its number, then its czxid.
using place = std::pair<std::int32_t, std::int64_t>;

struct ranked {
    place where;
    claim wants;
    const std::string* name = nullptr;
};

bool is_writer(claim_kind kind) {
    return kind == claim_kind::write || kind == claim_kind::upgrade;
}

bool waits_for(claim_kind self, claim_kind other) {
    switch (self) {
        // place: reader_waits_for
        case claim_kind::read: return is_writer(other);
        // place: upgradable_waits_for
        case claim_kind::upgradable: return other != claim_kind::read;
        // place: upgrade_waits_for
        case claim_kind::upgrade: return other == claim_kind::read;
        case claim_kind::lock:
        case claim_kind::latch:
        case claim_kind::write:
        case claim_kind::permit: break;
    }
    return true;  // place: writer_waits_for
}

// True if a contender of the kind `self` must know its order relative to a contender of the kind `other` with the same
// number.
bool order_matters(claim_kind self, claim_kind other) {
    return waits_for(self, other) || self == claim_kind::upgrade;
}

class queue {
public:
    queue(const std::vector<std::string>& children, const std::string& self,
          const contender_name& own, const std::map<std::string, std::int64_t>& czxids)
        : own_{own}, number_{number_of(own)}, here_{0, czxid(czxids, self).value_or(0)} {
        for (const auto& child : children)
            if (child != self) add(child, czxids);
    }

    decision judge(const permit_limit& permits) {
        TURNSTILE_CHECK(permits.now >= 1);
        TURNSTILE_CHECK(permits.earlier >= permits.now);
        if (!result_.tied.empty()) {
            result_.verdict = verdict::ask_czxid;
        } else if (own_.wants.kind == claim_kind::permit) {
            judge_permits(permits);
        } else if (own_.wants.kind == claim_kind::upgrade) {
            judge_upgrade();
        } else {
            judge_nearest();
        }
        TURNSTILE_CHECK(result_.verdict != verdict::absent);
        TURNSTILE_CHECK(result_.verdict != verdict::wait_on || !result_.predecessor.empty());
        return std::move(result_);
    }

private:
    // Returns the number that orders the contender. For an upgrade this is the number that the servers gave to it, also
    // after its move to the position of its upgradable contender.
    static std::int32_t number_of(const contender_name& own) {
        return own.wants.kind == claim_kind::upgrade ? numbers_of(own).came_with : own.sequence;
    }

    static std::optional<std::int64_t> czxid(const std::map<std::string, std::int64_t>& czxids,
                                             const std::string& name) {
        const auto known = czxids.find(name);
        if (known == czxids.end()) return std::nullopt;
        return known->second;
    }

    void add(const std::string& child, const std::map<std::string, std::int64_t>& czxids) {
        const auto name = parse_contender(child);
        if (!name) return;
        if (family(name->wants.kind) != family(own_.wants.kind)) return add_foreign(*name);
        place there{sequence_distance(name->sequence, number_), 0};
        // place: ties_at_counter_end
        if (at_counter_end(name->sequence) && at_counter_end(number_)) there.first = 0;
        if (there.first > 0) return;  // place: stands_behind
        // place: number_is_tied
        if (there.first == 0) {
            result_.ties = true;
            if (!order_matters(own_.wants.kind, name->wants.kind)) return;
            const auto known = czxid(czxids, child);  // place: tied_by_creation
            if (!known) {
                result_.tied.push_back(child);
                return;
            }
            there.second = *known;
        }
        if (there < here_) ahead_.push_back({there, name->wants, &child});
    }

    void add_foreign(const contender_name& other) {
        const auto distance = sequence_distance(other.sequence, number_);
        if (distance >= foremost_foreign_) return;
        foremost_foreign_ = distance;
        result_.foreign = family(other.wants.kind);
    }

    // Ignores the readers behind the first writer that waits for our upgradable contender. These readers wait for that
    // writer, so they do not hold the lock.
    void judge_upgrade() {
        const auto numbers = numbers_of(own_);
        const auto base = sequence_distance(numbers.base, number_);
        auto own_reader = here_;
        for (const auto& contender : ahead_)
            if (contender.wants.kind == claim_kind::upgradable && contender.where.first == base)
                own_reader = std::min(own_reader, contender.where);
        if (own_reader == here_) {
            result_.verdict = verdict::orphan;
            return;
        }
        auto first_writer = here_;
        for (const auto& contender : ahead_)
            if (is_writer(contender.wants.kind) && contender.where > own_reader)
                first_writer = std::min(first_writer, contender.where);
        std::erase_if(ahead_, [&first_writer](const auto& contender) {
            return contender.where > first_writer;
        });
        judge_nearest();
        // place: upgrade_changes_places
        if ((result_.verdict == verdict::granted) != numbers.at_base)
            result_.verdict = verdict::change_places;
    }

    void judge_nearest() {
        const ranked* nearest = nullptr;
        for (const auto& contender : ahead_) {
            if (!waits_for(own_.wants.kind, contender.wants.kind)) continue;
            ++result_.ahead;
            // place: nearest_ahead
            if (nearest == nullptr || contender.where > nearest->where) nearest = &contender;
        }
        result_.verdict = nearest != nullptr ? verdict::wait_on : verdict::granted;
        if (nearest != nullptr) result_.predecessor = *nearest->name;
    }

    void judge_permits(const permit_limit& permits) {
        std::int64_t taken = 0;
        for (const auto& contender : ahead_)
            taken += contender.wants.permits;  // place: permits_ahead
        judge_nearest();
        if (own_.wants.permits > permits.now) {
            result_.verdict = verdict::too_many;
        } else if (taken + own_.wants.permits <= permits.now) {  // place: permits_suffice
            result_.verdict = verdict::granted;
        } else if (taken <= permits.now || may_hold_more(permits, taken)) {
            result_.verdict = verdict::wait_on_any;  // all contenders ahead may hold permits
            for (const auto& contender : ahead_) result_.holders.push_back(*contender.name);
            TURNSTILE_CHECK(!result_.holders.empty());
        }
        if (result_.verdict != verdict::wait_on) result_.predecessor.clear();
    }

    // True if the nearest contender ahead may have been granted before the semaphore's limit shrank.
    [[nodiscard]] bool may_hold_more(const permit_limit& permits, std::int64_t taken) const {
        if (taken > permits.earlier) return false;
        const auto nearest =
            std::max_element(ahead_.begin(), ahead_.end(),
                             [](const auto& a, const auto& b) { return a.where < b.where; });
        if (!permits.last || nearest == ahead_.end()) return true;  // place: before_it_shrank
        return nearest->where.first <= sequence_distance(*permits.last, number_);
    }

    const contender_name& own_;
    const std::int32_t number_;
    const place here_;
    // The signed distance from self's number to the number of the first foreign contender (a contender of another
    // family). 0 if no foreign contender is ahead of self.
    std::int32_t foremost_foreign_ = 0;
    std::vector<ranked> ahead_;
    decision result_;
};

}  // namespace

decision decide(const std::vector<std::string>& children, const std::string& self,
                const std::map<std::string, std::int64_t>& czxids, const permit_limit& permits) {
    const auto own = parse_contender(self);
    if (!own || std::find(children.begin(), children.end(), self) == children.end()) return {};
    return queue{children, self, *own, czxids}.judge(permits);
}

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
