// SPDX-License-Identifier: Apache-2.0
#include "core/composite/quorum.hpp"

#include <algorithm>
#include <functional>

#include "base/check.hpp"

namespace turnstile::core {

namespace {

constexpr int k_most_doublings = 12;
// A call that holds only a minority of the locks (its parts) keeps them for quorum_settings::attempt * k_patience^n,
// plus a random extra of at most half that time. n is the number of parts after the first held part, at most
// k_most_ranks.
constexpr int k_patience = 4;
constexpr std::size_t k_most_ranks = 4;

duration part_of(duration whole, double factor) {
    return duration{static_cast<duration::rep>(static_cast<double>(whole.count()) * factor)};
}

}  // namespace

quorum::quorum(const quorum_settings& settings, base::random chance)
    : settings_{settings}, chance_{chance}, parts_(settings.parts) {}

// ---- events ---------------------------------------------------------------------------------

void quorum::start(time_point now) {
    TURNSTILE_CHECK(phase_ == phase::idle);
    TURNSTILE_CHECK(!parts_.empty());
    phase_ = phase::acquiring;
    for (auto& part : parts_) part.ask_at = now;
    ask_due(now);
}

void quorum::confirm(std::size_t which, time_point valid_until) {
    TURNSTILE_CHECK(which < parts_.size());
    if (parts_[which].state == has::it) parts_[which].valid_until = valid_until;
}

void quorum::on_granted(std::size_t which, time_point valid_until, time_point now) {
    // First checks the leases of the held parts. If they are no majority any more, the whole hold is lost, and this
    // grant must not restore it.
    on_time(now);
    auto& mine = parts_[which];
    TURNSTILE_CHECK(mine.awaits_answer());
    if (mine.state == has::withdrawn || phase_ == phase::over) {
        mine.state = has::nothing;
        actions_.emplace_back(give_back{which});  // place: gives_back_late_part
        return;
    }
    mine = {has::it, valid_until, now, 0};
    if (phase_ == phase::acquiring) {
        const auto end = now + draw_patience();
        attempt_ends_ = std::max(attempt_ends_.value_or(end), end);
    }
    on_time(now);
}

void quorum::on_refused(std::size_t which, next then, time_point now) {
    auto& mine = parts_[which];
    TURNSTILE_CHECK(mine.awaits_answer());
    const bool only_try =
        settings_.mode == quorum_settings::mode::once && phase_ == phase::acquiring;
    mine.state = then == next::never ? has::never : only_try ? has::busy : has::nothing;
    mine.ask_at = now + draw_pause(mine.failures++);
    on_time(now);
}

void quorum::on_lost(std::size_t which, next then, time_point now) {
    TURNSTILE_CHECK(which < parts_.size());
    auto& mine = parts_[which];
    if (mine.state != has::it) return;
    mine.state = then == next::never ? has::never : has::nothing;
    mine.ask_at = now + draw_pause(mine.failures++);
    on_time(now);
}

void quorum::on_closed(std::size_t which, time_point now) {
    TURNSTILE_CHECK(which < parts_.size());
    if (!pauses(which)) return;  // the part's answer or its loss will come
    parts_[which].state = has::never;
    on_time(now);
}

void quorum::leave() {
    if (phase_ == phase::held) return end({});
    if (phase_ == phase::acquiring) end(failure::left);
}

// ---- functions that the events call ---------------------------------------------------------

void quorum::on_time(time_point now) {
    // place: majority_is_lost
    if (phase_ == phase::held && count_certain(now) < majority()) {
        actions_.emplace_back(tell_lost{});
        return end({});
    }
    if (phase_ == phase::acquiring) {
        if (count_certain(now) >= majority()) {
            phase_ = phase::held;
            for (auto& part : parts_)
                if (part.state == has::busy) part.state = has::nothing;
            attempt_ends_.reset();
            attempts_ = 0;
            actions_.emplace_back(tell_granted{});
        } else if (count(has::never) + count(has::busy) + majority() > parts_.size()) {
            return end(failure::hopeless);
        } else if (settings_.deadline && now >= *settings_.deadline) {
            return end(failure::late);
        } else if (count(has::it) == 0) {
            attempt_ends_.reset();  // a contender without a part blocks no other contender
        } else if (attempt_ends_ && now >= *attempt_ends_) {
            end_attempt(now);  // place: attempt_is_over
        }
    }
    if (phase_ == phase::acquiring || phase_ == phase::held) ask_due(now);
}

// Returns the time for which the call keeps the locks (parts) that it holds. If the first held part has a high index,
// the time is short: the call gives up soon, and makes room for a call that holds earlier parts.
duration quorum::draw_patience() {
    const auto first = std::find_if(parts_.begin(), parts_.end(),
                                    [](const member& part) { return part.state == has::it; });
    const auto later = static_cast<std::size_t>(parts_.end() - first) - 1;
    auto whole = settings_.attempt;
    for (std::size_t i = 0; i != std::min(later, k_most_ranks); ++i) whole *= k_patience;
    return part_of(whole, 1 + chance_.uniform01() / 2);
}

// Gives back the locks (parts) that the call holds. The requests for the other locks stay in the queues, because a
// waiting request blocks no other contender.
void quorum::end_attempt(time_point now) {
    TURNSTILE_CHECK(phase_ == phase::acquiring);
    attempt_ends_.reset();
    const auto again = now + draw_pause(attempts_++);
    for (auto& part : parts_)
        if (part.state == has::it) part.ask_at = again;
    give_all_back();
}

duration quorum::draw_pause(int failures) {
    const auto longest =
        std::min(settings_.retry_longest,
                 settings_.retry_first * (1 << std::min(failures, k_most_doublings)));
    return part_of(longest, (1 + chance_.uniform01()) / 2);
}

void quorum::ask_due(time_point now) {
    for (std::size_t i = 0; i != parts_.size(); ++i) {
        if (parts_[i].state != has::nothing || now < parts_[i].ask_at) continue;
        parts_[i].state = has::asked;
        actions_.emplace_back(ask{i});
    }
}

void quorum::end(std::optional<failure> why) {
    phase_ = phase::over;
    attempt_ends_.reset();
    give_all_back();
    for (std::size_t i = 0; i != parts_.size(); ++i) {
        if (parts_[i].state != has::asked) continue;
        parts_[i].state = has::withdrawn;
        actions_.emplace_back(withdraw{i});
    }
    if (why) actions_.emplace_back(tell_failed{*why});
}

void quorum::give_all_back() {
    for (auto i = parts_.size(); i-- > 0;) {
        if (parts_[i].state != has::it) continue;
        parts_[i].state = has::nothing;
        actions_.emplace_back(give_back{i});
    }
}

// ---- functions that only return information -------------------------------------------------

std::optional<time_point> quorum::next_deadline() const {
    if (phase_ != phase::acquiring && phase_ != phase::held) return std::nullopt;
    std::optional<time_point> first;
    const auto consider = [&first](time_point when) {
        if (!first || when < *first) first = when;
    };
    if (phase_ == phase::acquiring && settings_.deadline) consider(*settings_.deadline);
    if (attempt_ends_) consider(*attempt_ends_);
    for (const auto& part : parts_)
        if (part.state == has::nothing) consider(part.ask_at);
    return first;
}

std::size_t quorum::count(has state) const {
    return static_cast<std::size_t>(std::count_if(
        parts_.begin(), parts_.end(), [state](const member& part) { return part.state == state; }));
}

std::size_t quorum::count_certain(time_point now) const {
    std::size_t certain_ones = 0;
    for (std::size_t i = 0; i != parts_.size(); ++i)
        if (certain(i, now)) ++certain_ones;
    return certain_ones;
}

bool quorum::certain(time_point now) const {
    return phase_ == phase::held && count_certain(now) >= majority();
}

time_point quorum::valid_until() const {
    std::vector<time_point> ends;
    for (const auto& part : parts_)
        if (part.state == has::it) ends.push_back(part.valid_until);
    if (ends.size() < majority()) return time_point::min();
    std::sort(ends.begin(), ends.end(), std::greater<>{});
    return ends[majority() - 1];
}

}  // namespace turnstile::core
