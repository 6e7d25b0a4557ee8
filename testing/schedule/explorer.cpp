// SPDX-License-Identifier: Apache-2.0
#include "schedule/explorer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "schedule/place.hpp"

namespace turnstile::schedule {

namespace {

constexpr std::chrono::seconds k_longest_run{60};

}  // namespace

std::optional<finding> explorer::run(const plan& how) {
    shared_.clear();
    const auto why = run_apart(how, *shared_, scheduler::endurance::bounded, k_longest_run,
                               [this](scheduler&) { scenario_.run(); });
    if (!why) return std::nullopt;
    return finding{how, shared_->result, *why};
}

// ---- runs under many schedules --------------------------------------------------------------

namespace {

bool exhausted(const tally& so_far, const budget& limit) {
    return so_far.schedules >= limit.schedules || std::chrono::steady_clock::now() >= limit.until;
}

// Returns all plans with one deviation more than `base`: at a step after the last deviation of `base`, another runnable
// thread continues.
std::vector<plan> further(const plan& base, const record& run) {
    std::vector<plan> plans;
    const auto first = base.deviations.empty() ? 0 : base.deviations.back().at + 1;
    for (auto at = first; at < run.steps; ++at) {
        const auto& here = run.trace[at];
        for (std::size_t thread = 0; thread != k_most_threads; ++thread) {
            if (!here.enabled.test(thread) || thread == here.chosen) continue;
            plans.push_back(base);
            plans.back().deviations.push_back({at, static_cast<std::uint8_t>(thread)});
        }
    }
    return plans;
}

}  // namespace

tally explorer::deviations(unsigned most, const budget& limit) {
    tally sum;
    std::vector<plan> now{plan{}};
    for (unsigned count = 0; count <= most; ++count) {
        std::vector<plan> next;
        for (const auto& plan : now) {
            if (exhausted(sum, limit)) return sum;
            sum.found = run(plan);
            ++sum.schedules;
            sum.steps += shared_->steps;
            if (sum.found) return sum;
            if (count == most) continue;
            auto more = further(plan, *shared_);
            std::move(more.begin(), more.end(), std::back_inserter(next));
        }
        now = std::move(next);
    }
    sum.complete = true;
    return sum;
}

tally explorer::random(std::uint64_t seed, const budget& limit) {
    tally sum;
    plan how;
    sum.found = run(how);
    how.length = std::max(shared_->steps, 1U);
    constexpr std::array<std::uint32_t, 4> k_depths{1, 2, 3, 5};
    constexpr std::array<std::uint32_t, 4> k_rates{2, 8, 32, 4};
    for (std::uint64_t i = 0; !sum.found && !exhausted(sum, limit); ++i) {
        how.seed = seed + i;
        how.how = i % 2 == 0 ? plan::kind::priorities : plan::kind::walk;
        how.depth = (i % 2 == 0 ? k_depths : k_rates)[i / 2 % k_depths.size()];
        sum.found = run(how);
        ++sum.schedules;
        sum.steps += shared_->steps;
    }
    return sum;
}

finding explorer::shrink(const finding& from) {
    finding best = from;
    for (std::size_t i = 0; i < best.how.deviations.size();) {
        auto fewer = best.how;
        fewer.deviations.erase(fewer.deviations.begin() + static_cast<std::ptrdiff_t>(i));
        if (const auto still = run(fewer)) {
            best = *still;
        } else {
            ++i;
        }
    }
    static_cast<void>(run(best.how));
    return best;
}

// ---- descriptions of runs for people --------------------------------------------------------

std::string describe(const record& run, std::size_t most) {
    std::string out;
    most = std::min(most, k_most_steps);
    const std::size_t first = run.steps > most ? run.steps - most : 0;
    for (std::size_t at = first; at != run.steps; ++at) {
        const auto& step = run.trace[at % k_most_steps];
        out += fmt::format("  {:5} thread {:2} {}{} {}\n", at, step.thread, name_of(step.kind),
                           step.object == 0 ? "" : fmt::format(" {:#x}", step.object),
                           place_of(step.caller));
        if (step.chosen != step.thread) out += fmt::format("        now thread {}\n", step.chosen);
    }
    return out;
}

}  // namespace turnstile::schedule
