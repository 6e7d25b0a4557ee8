// SPDX-License-Identifier: Apache-2.0
// explorer: runs a scenario under many schedules, each in a process, until one schedule fails.
//
//     explorer all{scenario};
//     const auto found = all.deviations(1, budget);   // every schedule with at most one deviation
//     const auto more = all.random(seed, budget);
//
// Each run is a fork of this process at the same point, so earlier runs leave nothing behind. A deadlock or a crash is
// a finding, too. A replay gives the same result if the program is the same and its addresses are fixed
// (`fixed_addresses`).
//
// Thread safety: for one thread, in a process without other threads.
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
    bool complete = false;  // true: every schedule was run
    std::optional<finding> found;
};

class explorer {
public:
    explicit explorer(const scenario& scenario) : scenario_{scenario} {}

    // Runs the scenario once under this plan. Then last() has the steps.
    std::optional<finding> run(const plan& how);
    [[nodiscard]] const record& last() const noexcept { return *shared_; }

    // Runs all schedules with 0, 1, ... `most` deviations, in this order. A deviation is a step at which another
    // runnable thread continues.
    tally deviations(unsigned most, const budget& limit);
    // Runs random schedules: PCT (the method that plan.hpp describes) alternates with random walks.
    tally random(std::uint64_t seed, const budget& limit);
    // Returns a failing plan that deviates less often from the default schedule; `from` if there is none.
    [[nodiscard]] finding shrink(const finding& from);

private:
    const scenario scenario_;
    const shared_record shared_;
};

// Describes the last `most` steps of a run, for people.
[[nodiscard]] std::string describe(const record& run, std::size_t most);

}  // namespace turnstile::schedule
