// SPDX-License-Identifier: Apache-2.0
#include "core/composite/local_queue.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace turnstile::core {

std::optional<time_point> local_holder::next_warning(time_point lease_end) const {
    return warned_ ? warned_of_ : warning_due(lease_end);  // place: next_warning
}

bool local_holder::warn(time_point lease_end, time_point now) {
    const auto due = warning_due(lease_end);
    const bool near = due && *due <= now;
    const bool looks_again = warned_of_ && *warned_of_ <= now;
    if (!near || looks_again) warned_of_.reset();
    warned_ = near && warned_ && !(looks_again && now < lease_end);
    if (!near || warned_) return false;
    warned_ = true;
    if (now < lease_end) warned_of_ = lease_end;
    return true;
}

std::optional<time_point> local_holder::warning_due(time_point lease_end) const {
    if (warn_before_ <= duration{} || lease_end == time_point::min()) return std::nullopt;
    return std::min(lease_end, end_.value_or(time_point::max())) - warn_before_;
}

namespace {

std::optional<time_point> earlier(const std::optional<time_point>& a,
                                  const std::optional<time_point>& b) {
    return b && (!a || *b < *a) ? b : a;
}

}  // namespace

// ---- events ---------------------------------------------------------------------------------

void local_queue::check() const {
    TURNSTILE_CHECK(!holder_ || has_ == has::it);
    TURNSTILE_CHECK(!idle_end_ || has_ == has::it);
    TURNSTILE_CHECK(!idle_end_ || !holder_);
    TURNSTILE_CHECK(line_.empty() || has_ != has::nothing);
    TURNSTILE_CHECK(line_.empty() || has_ != has::it || holder_);
}

void local_queue::arrive(const sharing::caller& arrival, time_point now) {
    check();
    const bool idle = has_ == has::it && !holder_;
    // place: idle_lease_is_over
    if (idle && now >= valid_until_) return_it();  // the lease has ended: no thread may be granted
    if (arrival.mode == attempt::once && has_ != has::nothing && !idle) {
        return refuse(arrival,
                      {errc::busy, settings_.path + ": contenders ahead in this process: " +
                                       std::to_string(line_.size() + (holder_ ? 1 : 0))});
    }
    line_.push_back(arrival);  // place: joins_the_line
    if (has_ == has::it && !holder_) {
        grant_next(now);
    } else if (has_ == has::nothing) {
        ask_for(arrival.mode);
    }
}

void local_queue::give_up(local_id id, const error& why) {
    const auto waiter = std::find_if(line_.begin(), line_.end(),
                                     [id](const sharing::caller& c) { return c.id == id; });
    if (waiter == line_.end()) return;
    refuse(*waiter, why);
    line_.erase(waiter);
    if (!line_.empty() || has_ != has::asked) return;
    has_ = has::nothing;
    actions_.emplace_back(sharing::withdraw{contender_});
}

void local_queue::release(local_id id, time_point now, next then) {
    check();
    if (holder() != id) return;  // place: only_the_holder_releases
    holder_.reset();
    if (then == next::give_back && has_ == has::it) {
        return_it();
        ask_for_those_who_wait();
    } else {
        settle(now);
    }
}

void local_queue::on_granted(std::uint64_t contender, time_point valid_until, time_point now) {
    check();
    if (contender != contender_ || has_ != has::asked) {
        actions_.emplace_back(sharing::give_back{contender});  // place: gives_back_late_grant
        return;
    }
    TURNSTILE_CHECK(!line_.empty());
    has_ = has::it;
    valid_until_ = valid_until;
    if (now < valid_until_) return grant_next(now);
    return_it();
    ask_for_those_who_wait();
}

// If the request for the contender was a single try (attempt::once), its refusal concerns only the threads that try
// once. Threads that wait stay in the line.
void local_queue::on_refused(std::uint64_t contender, const error& why) {
    check();
    if (contender != contender_ || has_ != has::asked) return;
    has_ = has::nothing;
    const bool tried = asked_how_ == attempt::once;
    std::erase_if(line_, [&](const sharing::caller& waiter) {
        if (tried && waiter.mode != attempt::once) return false;  // place: try_answers_tries
        refuse(waiter, why);
        return true;
    });
    ask_for_those_who_wait();
}

void local_queue::on_lost(std::uint64_t contender, const error& why) {
    check();
    if (contender != contender_ || has_ != has::it) return;
    has_ = has::nothing;
    idle_end_.reset();
    if (holder_) actions_.emplace_back(sharing::tell_lost{holder_->id(), why});
    holder_.reset();
    ask_for_those_who_wait();  // place: asks_again_after_loss
}

// Contenders of other processes may arrive behind our contender before our contender gets the lock. So this function
// may run before on_granted.
void local_queue::on_contended(std::uint64_t contender) {
    check();
    if (contender != contender_ || has_ == has::nothing) return;  // place: news_of_others_behind
    contended_ = true;
    if (has_ == has::it && !holder_) return_it();  // place: idle_gives_way
}

void local_queue::on_asked_to_release(std::uint64_t contender) {
    if (contender == contender_) passes_ = settings_.passes;  // place: request_spends_hand_overs
    on_contended(contender);
}

void local_queue::on_time(time_point now) {
    check();
    const error late{errc::timeout, settings_.path + ": not granted yet"};
    for (std::size_t i = 0; i != line_.size();) {
        if (line_[i].deadline && *line_[i].deadline <= now) {
            give_up(line_[i].id, late);
        } else {
            ++i;
        }
    }
    if (holder_ && holder_->end() && *holder_->end() <= now)
        expel({errc::held_too_long, settings_.path}, now);
    if (idle_end_ && *idle_end_ <= now) return_it();  // place: idle_time_is_over
    if (holder_ && holder_->warn(valid_until_, now))
        actions_.emplace_back(sharing::tell_expiring{holder_->id()});
}

std::optional<time_point> local_queue::next_deadline() const {
    auto best = newest_deadline();
    for (const auto& waiter : line_) best = earlier(best, waiter.deadline);
    return best;
}

// No event changes the deadline of a waiter that is already in the line. So only the last waiter's deadline can be new.
std::optional<time_point> local_queue::newest_deadline() const {
    auto best = idle_end_;
    if (holder_) {
        best = earlier(best, holder_->end());
        best = earlier(best, holder_->next_warning(valid_until_));
    }
    return line_.empty() ? best : earlier(best, line_.back().deadline);
}

std::optional<std::size_t> local_queue::place_of(local_id id) const {
    for (std::size_t i = 0; i != line_.size(); ++i)
        if (line_[i].id == id) return i + (holder_ ? 1 : 0);
    return std::nullopt;
}

std::vector<local_id> local_queue::line() const {
    std::vector<local_id> all;
    for (const auto& waiter : line_) all.push_back(waiter.id);
    return all;
}

// ---- functions that the events call ---------------------------------------------------------

void local_queue::ask_for(attempt mode) {
    TURNSTILE_CHECK(has_ == has::nothing);
    TURNSTILE_CHECK(!holder_);
    has_ = has::asked;
    asked_how_ = mode;
    grants_ = 0;
    passes_ = 0;
    contended_ = false;
    actions_.emplace_back(sharing::ask{++contender_, mode});
}

void local_queue::ask_for_those_who_wait() {
    if (!line_.empty()) ask_for(line_.front().mode);
}

void local_queue::grant_next(time_point now) {
    TURNSTILE_CHECK(has_ == has::it);
    TURNSTILE_CHECK(!holder_);
    TURNSTILE_CHECK(!line_.empty());
    const auto waiter = line_.front();
    line_.pop_front();
    idle_end_.reset();
    const auto limit =
        waiter.max_hold > duration{} ? std::optional{now + waiter.max_hold} : std::nullopt;
    holder_ = local_holder{waiter.id, limit, waiter.warn_before};
    // place: tells_local_grant
    actions_.emplace_back(sharing::tell_granted{waiter.id, contender_, grants_++, limit});
}

// Called when the process has the contender and no thread holds the lock. Hands the lock over to the next waiting
// thread, keeps the contender for later threads, or gives the contender back.
void local_queue::settle(time_point now) {
    TURNSTILE_CHECK(!holder_);
    if (has_ != has::it) return;
    const bool spent = contended_ && passes_ >= settings_.passes;  // place: hand_overs_are_spent
    if (spent || now >= valid_until_) {  // place: may_not_hand_over_inside
        return_it();
        ask_for_those_who_wait();
    } else if (!line_.empty()) {
        if (contended_) ++passes_;  // place: counts_hand_overs
        grant_next(now);
    } else if (contended_ || settings_.retain_for <= duration{}) {
        return_it();
    } else {
        idle_end_ = now + settings_.retain_for;
    }
}

void local_queue::return_it() {
    TURNSTILE_CHECK(has_ == has::it);
    TURNSTILE_CHECK(!holder_);
    has_ = has::nothing;
    idle_end_.reset();
    actions_.emplace_back(sharing::give_back{contender_});
}

void local_queue::refuse(const sharing::caller& waiter, const error& why) {
    actions_.emplace_back(sharing::tell_refused{waiter.id, why});
}

// Notifies the holder of the loss before it gives the contender back, because the notification makes the holder's guard
// invalid. The holder may still be writing, so no other thread gets this contender.
void local_queue::expel(const error& why, time_point now) {
    TURNSTILE_CHECK(holder_);
    const auto id = holder_->id();
    actions_.emplace_back(sharing::tell_lost{id, why});
    release(id, now, next::give_back);
}

}  // namespace turnstile::core
