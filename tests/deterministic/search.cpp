// SPDX-License-Identifier: Apache-2.0
// Plays the scenarios with one seed after another, and reports broken promises.
//
//     scripts/services --minutes 30 --seed 1000            every scenario, from this seed on
//     scripts/services --scenario election --seed 1017 --runs 1 --story
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <map>

#include "deterministic/scenarios.hpp"

namespace turnstile::deterministic_tests {
namespace {

struct search_options {
    std::vector<std::string> only;
    std::uint64_t seed = 1;
    std::uint64_t runs = UINT64_MAX;
    double minutes = 0;
    std::size_t most_failures = 5;
    bool story = false;
    bool list = false;
};

int search(const search_options& how) {
    std::vector<service_scenario> wanted;
    for (auto& each : all_scenarios())
        if (how.only.empty() || std::count(how.only.begin(), how.only.end(), each.name) != 0)
            wanted.push_back(std::move(each));
    if (wanted.empty()) {
        fmt::print(stderr, "no such scenario; --list names them\n");
        return 2;
    }
    if (how.list) {
        for (const auto& each : wanted) fmt::print("{:16} {}\n", each.name, each.about);
        return 0;
    }
    using clock = std::chrono::steady_clock;
    const auto began = clock::now();
    const auto until = how.minutes > 0
                           ? began + std::chrono::duration_cast<clock::duration>(
                                         std::chrono::duration<double>{how.minutes * 60})
                           : clock::time_point::max();
    const auto most = how.minutes > 0 || how.runs != UINT64_MAX ? how.runs : 1;
    std::size_t failures = 0;
    std::uint64_t played = 0;
    std::chrono::duration<double> time{};
    for (std::uint64_t i = 0; i != most && clock::now() < until; ++i) {
        for (const auto& each : wanted) {
            const auto report = play(each, how.seed + i);
            ++played;
            time += report.virtual_time;
            if (how.story && report.passed) fmt::print("{}", report.story);
            if (report.passed) continue;
            fmt::print("--scenario {} --seed {}: {}\n", each.name, how.seed + i,
                       how.story ? report.text() : report.failure);
            std::fflush(stdout);
            if (++failures == how.most_failures) return 1;
        }
    }
    fmt::print("{} runs, {:.1f} hours of virtual time, {:.0f} s; {} did not hold\n", played,
               time.count() / 3600, std::chrono::duration<double>{clock::now() - began}.count(),
               failures);
    return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace turnstile::deterministic_tests

int main(int count, char** arguments) {
    turnstile::testing::fixed_addresses(arguments);
    turnstile::deterministic_tests::search_options how;
    CLI::App app{"Plays services under virtual time, with one seed after the other."};
    app.add_option("--scenario", how.only, "run only this scenario; may be repeated");
    app.add_option("--seed", how.seed, "the first seed");
    app.add_option("--runs", how.runs, "number of seeds");
    app.add_option("--minutes", how.minutes, "duration in minutes");
    app.add_option("--most-failures", how.most_failures,
                   "number of failures after which the program ends");
    app.add_flag("--story", how.story, "print all events of a run");
    app.add_flag("--list", how.list, "print the names of the scenarios");
    CLI11_PARSE(app, count, arguments);
    return turnstile::deterministic_tests::search(how);
}
