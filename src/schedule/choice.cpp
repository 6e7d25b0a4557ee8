// SPDX-License-Identifier: Apache-2.0
#include "schedule/choice.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace turnstile::schedule {

namespace {

constexpr std::uint32_t k_fairness = 5;  // with a run that is so many times longer than expected
constexpr std::uint64_t k_priorities = 1'000'000;

}  // namespace

choice::choice(plan how) : plan_{std::move(how)}, chance_{plan_.seed} {
    if (plan_.how != plan::kind::priorities) return;
    for (std::uint32_t i = 1; i < plan_.depth; ++i)
        changes_.push_back(static_cast<std::uint32_t>(chance_() % plan_.length));
}

void choice::add(std::size_t thread) {
    priorities_.resize(std::max(priorities_.size(), thread + 1));
    priorities_[thread] = 1 + static_cast<std::int64_t>(chance_() % k_priorities);
}

std::uint8_t choice::pick(const situation& now) {
    switch (plan_.how) {
        case plan::kind::priorities:
            // A thread that goes round for ever is not to keep all others from their turns.
            return now.step > k_fairness * plan_.length ? by_chance(now.enabled) : by_priority(now);
        case plan::kind::walk:
            return chance_() % plan_.depth == 0 ? by_chance(now.enabled)
                                                : next_to(now.current, now.enabled);
        case plan::kind::deviations: break;
    }
    return by_deviation(now);
}

std::uint8_t choice::next_to(std::uint8_t current, std::uint64_t enabled) const {
    if ((enabled & bit_of(current)) != 0) return current;
    for (std::size_t i = 1; i <= priorities_.size(); ++i) {
        const auto next = (current + i) % priorities_.size();
        if ((enabled & bit_of(next)) != 0) return static_cast<std::uint8_t>(next);
    }
    return current;
}

std::uint8_t choice::by_priority(const situation& now) {
    if (std::find(changes_.begin(), changes_.end(), now.step) != changes_.end())
        priorities_[now.current] = --lowest_;
    if (now.yields) priorities_[now.current] = --lowest_;  // it waits for another thread
    std::size_t best = priorities_.size();
    for (std::size_t i = 0; i != priorities_.size(); ++i) {
        const bool can = (now.enabled & bit_of(i)) != 0;
        if (can && (best == priorities_.size() || priorities_[i] > priorities_[best])) best = i;
    }
    return static_cast<std::uint8_t>(best);
}

std::uint8_t choice::by_chance(std::uint64_t enabled) {
    auto nth = chance_() % static_cast<std::uint64_t>(std::popcount(enabled));
    for (; nth != 0; --nth) enabled &= enabled - 1;
    return static_cast<std::uint8_t>(std::countr_zero(enabled));
}

std::uint8_t choice::by_deviation(const situation& now) {
    const auto& all = plan_.deviations;
    if (next_deviation_ < all.size() && all[next_deviation_].at == now.step) {
        const auto wanted = all[next_deviation_++].thread;
        if ((now.enabled & bit_of(wanted)) != 0) return wanted;
    }
    const auto others = now.enabled & ~bit_of(now.current);
    return next_to(now.current, now.yields && others != 0 ? others : now.enabled);
}

}  // namespace turnstile::schedule
