#include "simulation/simulator.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "simulation/composite_judge.hpp"
#include "simulation/multi_workload.hpp"
#include "simulation/recipe_work.hpp"
#include "simulation/workload.hpp"
#include "simulation/world.hpp"

namespace turnstile::simulation {

namespace {

constexpr std::uint64_t k_most_events = 2'000'000;

scenario reduce(scenario&& what, const reduction& by) {
    if (what.clients.size() > by.clients) what.clients.resize(by.clients);
    what.rounds = std::min(what.rounds, by.rounds);
    return what;
}

std::unique_ptr<application> application_for(client_id id, world& one, composite_judge& judge) {
    auto& client = one.client(id);
    if (one.plans().work != work_kind::locks) return make_work(client, one.plans(), one.chance());
    if (client.plan().takes == client_plan::taking::one)
        return std::make_unique<workload>(client, one.plans(), one.chance());
    return std::make_unique<multi_workload>(id, client, one.plans(), one.chance(), judge);
}

void play(world& one, outcome& result) {
    composite_judge composites{one.truth(), one.time()};
    for (const auto& plan : one.plans().clients) {
        auto& client = one.add_client(plan);
        client.start(application_for(one.size() - 1, one, composites));
    }
    one.plan_faults();
    one.stop_faults_after(one.plans().faults_last);
    while (!one.over() && result.events != k_most_events && one.step()) {
        ++result.events;
        composites.after_event();
    }
    if (!one.over()) throw violation{"G7", "the history does not come to an end"};
}

}  // namespace

outcome simulate(std::uint64_t seed, const reduction& reduced, trace::detail wanted) {
    return simulate(scenario::draw(seed), reduced, wanted);
}

outcome simulate(scenario&& what, const reduction& reduced, trace::detail wanted) {
    const auto seed = what.seed;
    world one{reduce(std::move(what), reduced), ~seed, reduced.only, wanted};
    outcome result;
    result.seed = seed;
    result.reduced = reduced;
    result.clients = one.plans().clients.size();
    result.scenario = one.plans().describe();
    try {
        play(one, result);
    } catch (const violation& breach) {
        result.broken = true;
        result.invariant = breach.invariant();
        result.what = breach.what();
        one.story().note(one.now(),
                         [&] { return breach.invariant() + " is broken: " + breach.what(); });
    }
    result.fingerprint = one.fingerprint();
    result.grants = one.grants();
    result.drawn = one.drawn();
    const auto& story = one.story();
    result.story.assign(story.lines().begin(), story.lines().end());
    result.disturbances.assign(story.disturbances().begin(), story.disturbances().end());
    return result;
}

std::string outcome::report(std::size_t last_events) const {
    std::string text = fmt::format(
        "{}\nbroken: {}: {}\nreplay: scripts/simulate --seed {}{} --trace\nwhat goes wrong:\n",
        scenario, invariant, what, seed, reduced.arguments());
    for (const auto& line : disturbances) text += line + '\n';
    const auto first = story.size() > last_events ? story.size() - last_events : 0;
    text +=
        fmt::format("the last {} of {} lines of the story:\n", story.size() - first, story.size());
    for (auto i = first; i != story.size(); ++i) text += story[i] + '\n';
    return text;
}

}  // namespace turnstile::simulation
