// turnstile_hunt: looks for counterexamples to a lease's rule, or replays one.
//
//     turnstile_hunt --rule touch_before_write --seeds 1..20000 --jobs 2
//     turnstile_hunt --rule touch_before_write --seed 42
//
// A sweep prints one line of a table: rule, histories, grants, counterexamples, the seed of the first one
// and of the one with the fewest events. A replay prints the story. Exits with 1 if a history broke another promise than the one that is hunted.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "simulation/lease_hunt.hpp"

namespace {

namespace simulation = turnstile::simulation;

struct arguments {
    simulation::tried_rule rule = simulation::tried_rule::ours;
    std::uint64_t first = 1;
    std::uint64_t last = 1000;
    unsigned jobs = 1;
    bool story = false;
};

[[noreturn]] void usage() {
    std::cerr << "usage: turnstile_hunt --rule RULE (--seed N | --seeds A..B [--jobs J])\nrules:";
    for (const auto rule : simulation::k_tried_rules)
        std::cerr << ' ' << simulation::to_string(rule);
    std::cerr << '\n';
    std::exit(2);
}

arguments parse(int count, char** words) {
    arguments result;
    bool ruled = false;
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count) usage();
        const std::string_view word = words[i];
        const std::string value = words[i + 1];
        if (word == "--rule") {
            const auto rule = simulation::tried_rule_of(value);
            if (!rule) usage();
            result.rule = *rule;
            ruled = true;
        } else if (word == "--seed") {
            result.first = result.last = std::stoull(value);
            result.story = true;
        } else if (word == "--seeds" && value.find("..") != std::string::npos) {
            result.first = std::stoull(value);
            result.last = std::stoull(value.substr(value.find("..") + 2));
        } else if (word == "--jobs") {
            result.jobs = static_cast<unsigned>(std::clamp(std::stoul(value), 1UL, 256UL));
        } else {
            usage();
        }
    }
    if (!ruled) usage();
    return result;
}

struct tally {
    std::uint64_t grants = 0;
    std::uint64_t counterexamples = 0;
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    std::pair<std::uint64_t, std::uint64_t> shortest{first, first};  // events, seed
    std::vector<std::string> others;  // broken promises that nobody hunts
};

void count(const simulation::outcome& result, tally& into) {
    into.grants += result.grants;
    if (simulation::is_counterexample(result)) {
        ++into.counterexamples;
        into.first = std::min(into.first, result.seed);
        into.shortest = std::min(into.shortest, {result.events, result.seed});
    } else if (result.broken) {
        into.others.push_back("seed " + std::to_string(result.seed) + ' ' + result.invariant +
                              ": " + result.what);
    }
}

// Each job takes the next seed that nobody has taken.
tally sweep(const arguments& wanted) {
    std::vector<tally> parts(wanted.jobs);
    std::atomic<std::uint64_t> next{wanted.first};
    {
        std::vector<std::jthread> jobs;
        for (auto& part : parts) {
            jobs.emplace_back([&wanted, &next, &part] {
                for (auto seed = next++; seed <= wanted.last; seed = next++)
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
        simulation::hunt(wanted.rule, wanted.first, {}, simulation::trace::detail::full);
    std::cout << result.scenario << '\n';
    for (const auto& line : result.story) std::cout << line << '\n';
    return result.broken && !simulation::is_counterexample(result) ? 1 : 0;
}

int run(const arguments& wanted) {
    if (wanted.story) return replay(wanted);
    const auto sum = sweep(wanted);
    const bool none = sum.counterexamples == 0;
    std::cout << "| `" << simulation::to_string(wanted.rule) << "` | "
              << wanted.last - wanted.first + 1 << " | " << sum.grants << " | "
              << sum.counterexamples << " | " << (none ? "none" : std::to_string(sum.first))
              << " | " << (none ? "none" : std::to_string(sum.shortest.second)) << " |\n";
    for (const auto& line : sum.others) std::cerr << line << '\n';
    return sum.others.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    try {
        return run(parse(count, words));
    } catch (const std::exception& failure) {
        std::cerr << failure.what() << '\n';
        return 2;
    }
}
