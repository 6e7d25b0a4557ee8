// SPDX-License-Identifier: Apache-2.0
// What a guard of a quorum asks, and what it is told: see quorum_hold.hpp.
#include <algorithm>
#include <utility>

#include "recipe/composite/quorum_hold.hpp"
#include "recipe/composite/quorum_report.hpp"

namespace turnstile::detail {

// ---- being told -----------------------------------------------------------------------------

// On a client that is open, or else one that closes just now: a closed one runs it where it is posted.
void quorum_hold::post(std::function<void()> callback) const {
    const auto find = [this](auto&& good) {
        return std::find_if(ensembles_->begin(), ensembles_->end(),
                            [&good](const auto& one) { return good(*one.lock.servers()); });
    };
    auto by = find([](const client_impl& one) { return one.open(); });
    if (by == ensembles_->end()) by = find([](const client_impl& one) { return !one.closed(); });
    if (by == ensembles_->end()) by = ensembles_->begin();
    by->lock.servers()->post(std::move(callback));
}

void quorum_hold::post_lost(std::function<void(const error&)> callback) {
    post([self = self(), call = std::move(callback)] {
        base::scoped_lock lock{self->mutex_};
        if (self->released_) return;
        const auto why = self->why_.value_or(error{errc::session_lost});
        lock.unlock();
        call(why);
    });
}

// ---- for the guard --------------------------------------------------------------------------

// Parts whose leases have ended never come back: without a gap, see core::quorum.
bool quorum_hold::is_certain() const {
    const auto valid_ones = std::count_if(parts_.begin(), parts_.end(), [](const part& one) {
        return one.held && one.held->valid();
    });
    return static_cast<std::size_t>(valid_ones) >= value_.majority();
}

bool quorum_hold::valid() const noexcept {
    if (over_ || forked()) return false;
    const base::scoped_lock lock{mutex_};
    return is_certain();
}

boottime_clock::time_point quorum_hold::majority_until() const {
    std::vector<boottime_clock::time_point> ends;
    for (const auto& one : parts_)
        if (one.held) ends.push_back(one.held->valid_until());
    if (ends.size() < value_.majority()) return boottime_clock::time_point::min();
    std::sort(ends.rbegin(), ends.rend());
    return ends[value_.majority() - 1];
}

boottime_clock::time_point quorum_hold::valid_until() const noexcept {
    if (forked()) return boottime_clock::time_point::min();
    const base::scoped_lock lock{mutex_};
    return over_ && last_ ? last_->second : majority_until();
}

fencing_vector quorum_hold::part_tokens() const {
    std::vector<fencing_vector::component> all;
    for (std::size_t i = 0; i != parts_.size(); ++i)
        if (parts_[i].held && parts_[i].held->valid())
            all.push_back({(*ensembles_)[i].name, parts_[i].held->token()});
    return fencing_vector{std::move(all)};
}

fencing_vector quorum_hold::tokens() const {
    if (forked()) return {};
    const base::scoped_lock lock{mutex_};
    return last_ && (over_ || !is_certain()) ? last_->first : part_tokens();
}

// Before each step: the guard of a hold that is over says what it was.
void quorum_hold::remember() {
    if (over_ || value_.now() != core::quorum::phase::held) return;
    if (is_certain()) last_ = {part_tokens(), majority_until()};
}

result<void> quorum_hold::status() const {
    if (forked()) return forked_error();
    const base::scoped_lock lock{mutex_};
    if (why_) return *why_;
    if (over_ || !is_certain()) return no_majority(path(), said());
    return {};
}

void quorum_hold::unlock() noexcept {
    if (forked()) return;                                      // the parent's, not ours
    std::vector<std::function<void(const error&)>> callbacks;  // destroyed under no lock
    decisions next;
    {
        const base::scoped_lock lock{mutex_};
        if (std::exchange(released_, true)) return;
        remember();
        over_ = true;
        value_.leave();
        next = decide();
        next.answer = false;  // the caller knows
        callbacks.swap(lost_callbacks_);
    }
    execute(std::move(next));
}

// Until so many ensembles confirmed it that the others can have a majority: those that do not answer may
// not do so for long. The ones that can be reached come first.
result<void> quorum_hold::release(std::optional<boottime_clock::time_point> deadline) {
    if (forked()) return forked_error();
    auto all = held_parts();
    unlock();
    std::stable_partition(all.begin(), all.end(),
                          [this](const auto& one) { return connected(one.first); });
    const auto may_stay = ensembles_->size() - (ensembles_->size() / 2 + 1);
    std::optional<error> first;
    for (auto left = all.size(); left > may_stay; --left) {
        const auto& [which, one] = all[all.size() - left];
        const auto answer = one->release(deadline);
        if (answer || answer.error() == errc::session_lost || answer.error() == errc::removed)
            continue;  // nothing of it excludes anybody
        if (!first)
            first = error{answer.error().code(),
                          (*ensembles_)[which].name + ": " + answer.error().detail()};
        if (answer.error() == errc::interrupted) break;
    }
    return released(first);
}

}  // namespace turnstile::detail
