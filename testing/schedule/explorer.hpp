// SPDX-License-Identifier: Apache-2.0
// explorer: runs a scenario under many schedules, each in a process of its own, until one fails.
//
//     explorer all{scenario};
//     const auto found = all.deviations(1, budget);   // every schedule with at most one deviation
//     const auto more = all.random(seed, budget);
//
// A run is a fork of this process at one and the same instant, so that nothing of an earlier run is left in it; a
// deadlock or a crash of it is a finding like every other. Replays come out the same for the same program, where
// addresses are not randomised (`fixed_addresses`).
//
// Thread safety: one thread, in a process that has no other.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedule/plan.hpp"
#include "schedule/record.hpp"
#include "schedule/run.hpp"

namespace turnstile::schedule {

struct scenario {
    std::string name;
    std::string about;
    std::function<void()> run;  // throws `violation`, or returns
};

struct budget {
    std::uint64_t schedules = UINT64_MAX;
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
};

struct finding {
    plan how;
    verdict result = verdict::failed;
    std::string text;
};

struct tally {
    std::uint64_t schedules = 0;
    std::uint64_t steps = 0;
    bool complete = false;  // all that there are
    std::optional<finding> found;
};

class explorer {
public:
    explicit explorer(const scenario& scenario) : scenario_{scenario} {}

    // One run. `last()` has its steps.
    std::optional<finding> run(const plan& how);
    [[nodiscard]] const record& last() const noexcept { return *shared_; }

    // All schedules with 0, 1, ... `most` deviations from the plain one, fewest first.
    tally deviations(unsigned most, const budget& limit);
    // PCT and random walks, in turn.
    tally random(std::uint64_t seed, const budget& limit);
    // With fewer deviations, and earlier ones, if that fails, too. Of another kind of plan: unchanged.
    [[nodiscard]] finding shrink(const finding& from);

private:
    const scenario scenario_;
    const shared_record shared_;
};

// The steps of a run, for people: the last `most` of them.
[[nodiscard]] std::string describe(const record& run, std::size_t most);

}  // namespace turnstile::schedule
