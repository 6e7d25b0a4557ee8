// SPDX-License-Identifier: Apache-2.0
// turnstile_hunt: searches for counterexamples to a rule for leases, or replays one counterexample.
//
//     turnstile_hunt --rule touch_before_write --seeds 1..20000 --jobs 2
//     turnstile_hunt --rule touch_before_write --seed 42
//
// A sweep prints one line of a table: the rule, the numbers of histories, grants and counterexamples, the seed of the
// first counterexample and the seed of the shortest counterexample. A replay prints the history's events. The tool
// exits with 1 if a history broke a promise other than exclusion (G1).
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "simulation/tool.hpp"
#include "verification/lease_hunt.hpp"

namespace {

namespace simulation = turnstile::simulation;

struct arguments {
    simulation::tried_rule rule = simulation::tried_rule::ours;
    turnstile::tests::seed_range seeds;
    unsigned jobs = 1;
    bool story = false;
};

void declare(CLI::App& app, arguments& into) {
    std::vector<std::string> names;
    for (const auto rule : simulation::k_tried_rules) names.emplace_back(to_string(rule));
    app.add_option_function<std::string>(
           "--rule",
           [&into](const std::string& name) { into.rule = *simulation::tried_rule_of(name); },
           "the rule for the lease that the histories attack")
        ->required()
        ->check(CLI::IsMember(names));
    auto* const single = app.add_option_function<std::uint64_t>(
        "--seed",
        [&into](std::uint64_t seed) {
            into.seeds = {seed, seed};
            into.story = true;
        },
        "prints the history of this seed");
    turnstile::tests::add_seeds_option(app, into.seeds)->excludes(single);
    app.add_option("--jobs", into.jobs, "number of histories that run at the same time")
        ->check(CLI::Range(1, 256));
}

struct tally {
    std::uint64_t grants = 0;
    std::uint64_t counterexamples = 0;
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    // number of events and seed of the shortest counterexample
    std::pair<std::uint64_t, std::uint64_t> shortest{first, first};
    std::vector<std::string> others;  // promises, other than the hunted one, that a history broke
};

void count(const simulation::outcome& result, tally& into) {
    into.grants += result.grants;
    if (simulation::is_counterexample(result)) {
        ++into.counterexamples;
        into.first = std::min(into.first, result.seed);
        into.shortest = std::min(into.shortest, {result.events, result.seed});
    } else if (result.broken) {
        into.others.push_back("seed " + std::to_string(result.seed) + ' ' + result.invariant +
                              ": " + result.breach);
    }
}

// Each of the `jobs` threads takes the next seed that no other thread has taken.
tally sweep(const arguments& wanted) {
    std::vector<tally> parts(wanted.jobs);
    std::atomic<std::uint64_t> next{wanted.seeds.first};
    {
        std::vector<std::jthread> jobs;
        for (auto& part : parts) {
            jobs.emplace_back([&wanted, &next, &part] {
                for (auto seed = next++; seed <= wanted.seeds.last; seed = next++)
                    count(simulation::hunt(wanted.rule, seed), part);
            });
        }
    }
    tally sum;
    for (auto& part : parts) {
        sum.grants += part.grants;
        sum.counterexamples += part.counterexamples;
        sum.first = std::min(sum.first, part.first);
        sum.shortest = std::min(sum.shortest, part.shortest);
        sum.others.insert(sum.others.end(), part.others.begin(), part.others.end());
    }
    return sum;
}

int replay(const arguments& wanted) {
    const auto result =
        simulation::hunt(wanted.rule, wanted.seeds.first, {}, simulation::trace::detail::full);
    std::cout << result.scenario << '\n';
    for (const auto& line : result.story) std::cout << line << '\n';
    return result.broken && !simulation::is_counterexample(result) ? 1 : 0;
}

int run(const arguments& wanted) {
    if (wanted.story) return replay(wanted);
    const auto sum = sweep(wanted);
    const bool none = sum.counterexamples == 0;
    std::cout << "| `" << simulation::to_string(wanted.rule) << "` | "
              << wanted.seeds.last - wanted.seeds.first + 1 << " | " << sum.grants << " | "
              << sum.counterexamples << " | " << (none ? "none" : std::to_string(sum.first))
              << " | " << (none ? "none" : std::to_string(sum.shortest.second)) << " |\n";
    for (const auto& line : sum.others) std::cerr << line << '\n';
    return sum.others.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    CLI::App app{"Looks for counterexamples to a rule for the lease, or prints one history."};
    arguments wanted;
    declare(app, wanted);
    return turnstile::tests::run_tool(app, count, words, [&wanted] { return run(wanted); });
}
