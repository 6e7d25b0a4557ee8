// SPDX-License-Identifier: Apache-2.0
// explorer: runs a scenario under many schedules, each in a separate process, until one fails.
//
//     explorer all{scenario};
//     const auto found = all.deviations(1, budget);   // every schedule with at most one deviation
//     const auto more = all.random(seed, budget);
//
// A run is a fork of this process. The fork always happens at the same instant, so that no state of an earlier run
// remains. A deadlock or a crash of a run is a finding, too. Replays give the same result for the same program, if
// addresses are not randomised (`fixed_addresses`).
//
// Thread safety: for one thread, in a process that has no other thread.
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
    std::function<void()> run;  // throws `violation`, or returns normally
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
    bool complete = false;  // true: no schedule was left out
    std::optional<finding> found;
};

class explorer {
public:
    explicit explorer(const scenario& scenario) : scenario_{scenario} {}

    // Runs the scenario once under this plan. Afterwards last() has the steps.
    std::optional<finding> run(const plan& how);
    [[nodiscard]] const record& last() const noexcept { return *shared_; }

    // Runs all schedules with 0, 1, ... `most` deviations from the plain schedule, in this order.
    tally deviations(unsigned most, const budget& limit);
    // Runs PCT and random walks alternately.
    tally random(std::uint64_t seed, const budget& limit);
    // Returns a finding with fewer or earlier deviations, if they also fail. Returns a finding without deviations
    // unchanged.
    [[nodiscard]] finding shrink(const finding& from);

private:
    const scenario scenario_;
    const shared_record shared_;
};

// Describes the last `most` steps of a run, for people.
[[nodiscard]] std::string describe(const record& run, std::size_t most);

}  // namespace turnstile::schedule
