// SPDX-License-Identifier: Apache-2.0
#include "client/lock_series.hpp"

#include <algorithm>

namespace turnstile::detail {

namespace {

std::map<std::string, std::uint64_t> by_name(const std::map<errc, std::uint64_t>& counts) {
    std::map<std::string, std::uint64_t> named;
    for (const auto& [why, count] : counts) named.emplace(name_of(why), count);
    return named;
}

// If a hold's remaining time is longer than this, it counts as unlimited, because holds at in-memory servers never
// expire.
constexpr std::chrono::hours k_no_limit{24 * 365 * 10};

}  // namespace

lock_series::place lock_series::enter(boottime_clock::time_point now) {
    const base::lock_guard lock{mutex_};
    return waiting_.insert(waiting_.end(), entry{.began = now});
}

void lock_series::note_ahead(place call, std::size_t ahead) {
    const base::lock_guard lock{mutex_};
    call->ahead = ahead;
}

void lock_series::grant(place call, const hold& holder, boottime_clock::time_point now) {
    const base::lock_guard lock{mutex_};
    if (call->state != phase::waiting) return;
    call->state = phase::held;
    call->granted = now;
    call->holder = &holder;
    held_.splice(held_.end(), waiting_, call);
    waits_.add(now - call->began);
    ++granted_;
}

void lock_series::end(place call, errc why, ending manner, boottime_clock::time_point now) {
    const base::lock_guard lock{mutex_};
    if (call->state == phase::waiting) {
        call->state = phase::refused;
        over_.splice(over_.end(), waiting_, call);
        ++refused_[why];
    } else if (call->state == phase::held) {
        call->state = manner == ending::by_owner ? phase::released : phase::lost;
        over_.splice(over_.end(), held_, call);
        holds_.add(now - call->granted);
        if (call->state == phase::lost) ++lost_[why];
    } else {
        return;
    }
    call->ended = now;
    call->why = why;
    call->holder = nullptr;
}

void lock_series::forget(place call) noexcept {
    const base::lock_guard lock{mutex_};
    auto& list = call->state == phase::waiting ? waiting_
                 : call->state == phase::held  ? held_
                                               : over_;
    list.erase(call);
}

lock_series::entry lock_series::read_entry(place call) const {
    const base::lock_guard lock{mutex_};
    return *call;
}

void lock_series::announce(place call) {
    const base::lock_guard lock{mutex_};
    call->announced = true;
}

std::optional<lock_series::entry> lock_series::take_end(place call) {
    const base::lock_guard lock{mutex_};
    const bool over = call->state == phase::released || call->state == phase::lost;
    if (!over || !call->announced || call->end_told) return std::nullopt;
    call->end_told = true;
    return *call;
}

lock_numbers lock_series::read(boottime_clock::time_point now) const {
    lock_numbers numbers;
    numbers.series = name_;
    const base::lock_guard lock{mutex_};
    numbers.waits = waits_.read();
    numbers.holds = holds_.read();
    numbers.granted = granted_;
    numbers.refused = by_name(refused_);
    numbers.lost = by_name(lost_);
    numbers.held_now = held_.size();
    numbers.waiting_now = waiting_.size();
    for (const auto& call : waiting_) {
        numbers.queue_depth = std::max(numbers.queue_depth, call.ahead);
        numbers.longest_wait = std::max(numbers.longest_wait, now - call.began);
    }
    for (const auto& call : held_) {
        numbers.longest_hold = std::max(numbers.longest_hold, now - call.granted);
        const auto until = call.holder->valid_until();
        if (until >= now + k_no_limit) continue;
        const auto left = until > now ? until - now : boottime_clock::duration{};
        numbers.lease_margin = std::min(numbers.lease_margin.value_or(left), left);
    }
    return numbers;
}

}  // namespace turnstile::detail
