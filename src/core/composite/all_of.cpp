// SPDX-License-Identifier: Apache-2.0
#include "core/composite/all_of.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace turnstile::core {

namespace {

// A trial requests all locks that the call still lacks, at once and without waiting. After this many failed trials, a
// call waits for these locks one after the other.
constexpr std::size_t k_most_failed_trials = 2;

}  // namespace

void all_of::start() {
    TURNSTILE_CHECK(phase_ == phase::idle);
    TURNSTILE_CHECK(!parts_.empty());
    phase_ = phase::acquiring;
    begin();
}

void all_of::begin() {
    if (how_ == course::rest_at_once) return ask_for(0);
    go_on();
}

// Requests the first lock (part) that the call lacks, alone or together with all later locks that it lacks. Reports the
// grant if the call holds all locks.
void all_of::go_on() {
    const auto missing =
        std::find_if(parts_.begin(), parts_.end(), [](has state) { return state != has::it; });
    if (missing == parts_.end()) {
        phase_ = phase::held;
        actions_.emplace_back(tell_granted{});
        return;
    }
    const auto part = static_cast<std::size_t>(missing - parts_.begin());
    // If the call lacks only the last lock (part), waiting for the lock is as fast as trying it. A wait also keeps the
    // contender's position in the lock's queue, and a failed try loses the position.
    const bool tries = how_ != course::in_order && part + 1 != parts_.size() &&
                       failed_trials_ != k_most_failed_trials;
    if (tries) return try_from(part);
    ask_for(part);
}

void all_of::ask_for(std::size_t part) {
    current_ = part;
    parts_[part] = has::asked;
    actions_.emplace_back(ask{part});
}

void all_of::on_granted(std::size_t part) {
    TURNSTILE_CHECK(phase_ == phase::acquiring);
    const auto was = std::exchange(parts_[part], has::it);
    TURNSTILE_CHECK(was != has::nothing);
    TURNSTILE_CHECK(was != has::it);
    current_ = part;
    if (was != has::asked) return on_tried(part, std::nullopt);
    if (ending_ != ending::none) return answered();
    go_on();
}

void all_of::on_refused(std::size_t part, refusal why) {
    TURNSTILE_CHECK(phase_ == phase::acquiring);
    const auto was = std::exchange(parts_[part], has::nothing);
    TURNSTILE_CHECK(was != has::nothing);
    TURNSTILE_CHECK(was != has::it);
    current_ = part;
    if (was != has::asked) return on_tried(part, why);
    TURNSTILE_CHECK(why != refusal::contested);
    // After refusal::own, for example a timeout, another request for this lock (part) would fail, too. So the call
    // fails, and does not start over.
    if (ending_ == ending::none || why == refusal::own) return fail(part);
    answered();
}

// ---- trials: requests for all missing locks at once, without waiting ------------------------

void all_of::try_from(std::size_t part) {
    for (; part != parts_.size(); ++part) {
        parts_[part] = has::tried;
        actions_.emplace_back(try_part{part});
    }
}

// If the lock `part` is contested (another contender is ahead), gives back the locks behind it in the call's
// order: the holder of the contested lock may be waiting for them.
void all_of::on_tried(std::size_t part, std::optional<refusal> why) {
    if (why == refusal::own) {
        end_with(ending::fail, part);
    } else if (why == refusal::contested && ending_ == ending::none) {
        contested_ = std::min(part, contested_.value_or(part));
        withdraw_from(*contested_ + 1);
    }
    if (contested_) give_back_from(*contested_ + 1);  // place: gives_back_later_parts
    if (!trial_is_on()) end_trial();
}

void all_of::end_trial() {
    const auto contested = std::exchange(contested_, std::nullopt);
    if (ending_ != ending::none) return answered();
    if (!contested) return go_on();
    ++failed_trials_;
    ask_for(*contested);
}

bool all_of::trial_is_on() const {
    return std::any_of(parts_.begin(), parts_.end(), [](has state) {
        return state == has::tried || state == has::tried_in_vain;
    });
}

void all_of::withdraw_from(std::size_t first) {
    for (auto each = first; each < parts_.size(); ++each) {
        if (parts_[each] != has::asked && parts_[each] != has::tried) continue;
        if (parts_[each] == has::tried) parts_[each] = has::tried_in_vain;
        actions_.emplace_back(withdraw{each});
    }
}

void all_of::give_back_from(std::size_t first) {
    for (auto each = parts_.size(); each-- > first;) {
        if (parts_[each] != has::it) continue;
        parts_[each] = has::nothing;
        actions_.emplace_back(give_back{each});
    }
}

// ---- the end of a call ----------------------------------------------------------------------

// Called when the last request in progress of an ending call has its answer: fails the call, or starts it over.
void all_of::answered() {
    if (ending_ == ending::fail) return fail(why_.value_or(current_));
    give_back_from(0);
    ending_ = ending::none;
    why_.reset();
    begin();
}

// Withdraws all requests in progress. Their answers come soon; then the call fails or starts over. If the requests
// for several locks fail, the caller gets the error of the request that failed first.
void all_of::end_with(ending how, std::optional<std::size_t> why) {
    const bool first = ending_ == ending::none;
    if (how == ending::fail && ending_ != ending::fail) {
        ending_ = ending::fail;
        why_ = why;
    } else if (first) {
        ending_ = how;
    }
    if (first) withdraw_from(0);
}

void all_of::on_lost(std::size_t part, after_loss next) {
    if (parts_[part] != has::it) return;
    parts_[part] = has::nothing;
    if (phase_ == phase::held) {  // place: part_of_a_hold_lost
        phase_ = phase::over;
        actions_.emplace_back(tell_lost{part});
        return give_back_from(0);
    }
    if (phase_ != phase::acquiring) return;  // place: part_lost_while_acquiring
    const bool for_good = next == after_loss::give_up;
    end_with(for_good ? ending::fail : ending::start_over,
             for_good ? std::optional{part} : std::nullopt);
}

void all_of::leave() {
    if (phase_ == phase::held) {
        phase_ = phase::over;
        return give_back_from(0);
    }
    if (phase_ == phase::acquiring) end_with(ending::fail, std::nullopt);
}

void all_of::fail(std::size_t part) {
    phase_ = phase::over;
    give_back_from(0);  // place: refusal_gives_all_back
    actions_.emplace_back(tell_failed{part});
}

}  // namespace turnstile::core
