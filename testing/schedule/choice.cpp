// SPDX-License-Identifier: Apache-2.0
#include "schedule/choice.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::schedule {

namespace {

// After k_fairness * plan.length steps, a run that gives priorities to its threads chooses threads at random instead.
constexpr std::uint32_t k_fairness = 5;
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
            // After too many steps the choice is random. Otherwise a thread with a high priority in an endless loop
            // would keep all other threads from running.
            return now.step > k_fairness * plan_.length ? by_chance(now.enabled) : by_priority(now);
        case plan::kind::walk:
            return chance_() % plan_.depth == 0 ? by_chance(now.enabled)
                                                : next_to(now.current, now.enabled);
        case plan::kind::deviations: break;
    }
    return by_deviation(now);
}

std::uint8_t choice::next_to(std::uint8_t current, const thread_set& enabled) const {
    if (enabled.test(current)) return current;
    for (std::size_t i = 1; i <= priorities_.size(); ++i) {
        const auto next = (current + i) % priorities_.size();
        if (enabled.test(next)) return static_cast<std::uint8_t>(next);
    }
    return current;
}

std::uint8_t choice::by_priority(const situation& now) {
    if (std::find(changes_.begin(), changes_.end(), now.step) != changes_.end())
        priorities_[now.current] = --lowest_;
    // A yielding thread waits for another thread, so it gets the lowest priority.
    if (now.yields) priorities_[now.current] = --lowest_;
    std::size_t best = priorities_.size();
    for (std::size_t i = 0; i != priorities_.size(); ++i) {
        const bool can = now.enabled.test(i);
        if (can && (best == priorities_.size() || priorities_[i] > priorities_[best])) best = i;
    }
    return static_cast<std::uint8_t>(best);
}

std::uint8_t choice::by_chance(const thread_set& enabled) {
    auto nth = chance_() % enabled.count();
    std::size_t thread = 0;
    for (; !enabled.test(thread) || nth != 0; ++thread)
        if (enabled.test(thread)) --nth;
    return static_cast<std::uint8_t>(thread);
}

std::uint8_t choice::by_deviation(const situation& now) {
    const auto& all = plan_.deviations;
    if (next_deviation_ < all.size() && all[next_deviation_].at == now.step) {
        const auto wanted = all[next_deviation_++].thread;
        if (now.enabled.test(wanted)) return wanted;
    }
    auto others = now.enabled;
    others.reset(now.current);
    return next_to(now.current, now.yields && others.any() ? others : now.enabled);
}

}  // namespace turnstile::schedule
