// SPDX-License-Identifier: Apache-2.0
// turnstile_explore: runs the client's scenarios under many schedules, or replays one schedule.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "explore/scenarios.hpp"
#include "schedule/explorer.hpp"
#include "turnstile/log.hpp"

namespace turnstile::explore {
namespace {

struct settings {
    std::vector<std::string> only;
    std::string plan;
    double minutes = 0;
    unsigned deviations = 1;
    std::uint64_t schedules = 200;
    std::uint64_t seed = 0;
    std::size_t trace = 60;
    bool list = false;
};

void tell(const scenario& scenario, const finding& found, explorer& all, std::size_t trace) {
    const auto least = all.shrink(found);
    fmt::print("{}: {}\n  replay: --scenario {} --plan {}\n", scenario.name, least.text,
               scenario.name, least.how.to_string());
    static_cast<void>(all.run(least.how));
    fmt::print("{}", describe(all.last(), trace));
}

int replay(const scenario& scenario, const plan& how, std::size_t trace) {
    explorer all{scenario};
    const auto found = all.run(how);
    fmt::print("{}{}: {}\n", describe(all.last(), trace), scenario.name,
               found ? found->text : "passes");
    return found ? 1 : 0;
}

// Tries all schedules that deviate from the default schedule in few steps, and then random schedules, each kind for
// half of the time.
bool explore_one(const scenario& scenario, const settings& how,
                 std::chrono::duration<double> time) {
    using clock = std::chrono::steady_clock;
    const auto until = [&](double part) {
        if (how.minutes <= 0) return clock::time_point::max();
        return clock::now() + std::chrono::duration_cast<clock::duration>(time * part);
    };
    const auto most = how.minutes > 0 ? UINT64_MAX : how.schedules;
    explorer all{scenario};
    const auto began = clock::now();
    const auto few = all.deviations(how.deviations, {most, until(0.5)});
    tally more;
    if (!few.found) more = all.random(how.seed, {most, until(1)});
    const std::chrono::duration<double> took = clock::now() - began;
    fmt::print("{:24} {:7} schedules with at most {} deviations{}, {:7} random ones, {:.1f} s\n",
               scenario.name, few.schedules, how.deviations, few.complete ? " (all)" : "",
               more.schedules, took.count());
    std::fflush(stdout);
    const auto& found = few.found ? few.found : more.found;
    if (found) tell(scenario, *found, all, how.trace);
    return !found;
}

int run(const settings& how) {
    std::vector<scenario> wanted;
    for (auto& scenario : all_scenarios()) {
        bool in = how.only.empty();
        for (const auto& name : how.only) in = in || scenario.name == name;
        if (in) wanted.push_back(std::move(scenario));
    }
    if (wanted.empty()) {
        fmt::print(stderr, "no such scenario; --list names them\n");
        return 2;
    }
    if (how.list) {
        for (const auto& scenario : wanted) fmt::print("{:24} {}\n", scenario.name, scenario.about);
        return 0;
    }
    if (!how.plan.empty()) {
        const auto parsed = plan::parse(how.plan);
        if (!parsed || wanted.size() != 1) {
            fmt::print(stderr, "--plan needs a plan, and one --scenario\n");
            return 2;
        }
        return replay(wanted.front(), *parsed, how.trace);
    }
    const std::chrono::duration<double> each{how.minutes * 60 / static_cast<double>(wanted.size())};
    bool good = true;
    for (const auto& scenario : wanted) good = explore_one(scenario, how, each) && good;
    return good ? 0 : 1;
}

}  // namespace
}  // namespace turnstile::explore

int main(int count, char** arguments) {
    turnstile::schedule::fixed_addresses(arguments);
    turnstile::explore::settings how;
    CLI::App app{"Runs scenarios of the shell under many schedules of their threads."};
    app.add_option("--scenario", how.only, "run only this scenario; may be repeated");
    app.add_option("--plan", how.plan, "replay this schedule, in the form that a failure prints");
    app.add_option(
        "--deviations", how.deviations,
        "run all schedules that differ from the default schedule in at most this many steps");
    app.add_option("--schedules", how.schedules,
                   "limit for each kind of schedule (few deviations, random) of a scenario");
    app.add_option("--minutes", how.minutes,
                   "duration of all scenarios together, in place of --schedules");
    app.add_option("--seed", how.seed, "seed of the first random schedule");
    app.add_option("--trace", how.trace, "number of steps of a failure to print");
    app.add_flag("--list", how.list, "print the names of the scenarios");
    CLI11_PARSE(app, count, arguments);
    turnstile::set_log_level(turnstile::log_level::off);
    return run(how);
}
