// SPDX-License-Identifier: Apache-2.0
#include "verification/simulator.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "simulation/world.hpp"
#include "verification/invariants.hpp"
#include "verification/recipe_judge.hpp"
#include "verification/scenarios.hpp"
#include "verification/work/composite_judge.hpp"
#include "verification/work/multi_workload.hpp"
#include "verification/work/scenario_work.hpp"
#include "verification/work/sharing_judge.hpp"
#include "verification/work/sharing_workload.hpp"
#include "verification/work/workload.hpp"

namespace turnstile::simulation {

namespace {

constexpr std::uint64_t k_most_events = 2'000'000;

scenario reduce(scenario&& scenario, const reduction& by) {
    if (scenario.clients.size() > by.clients) scenario.clients.resize(by.clients);
    scenario.rounds = std::min(scenario.rounds, by.rounds);
    return scenario;
}

// All judges of a history: `contract` judges each lock, and the others judge the recipes that use locks.
struct judges {
    explicit judges(world& world)
        : contract{world.plans(), world.time(), world.truth(), world.servers()},
          recipes{world.plans(), world.truth()},
          composites{world.truth(), world.time()},
          sharing{world.truth(), world.time(), contract} {
        world.observed_by(contract, recipes);
    }
    invariants contract;
    recipe_judge recipes;
    composite_judge composites;
    sharing_judge sharing;
    void after_event() {
        composites.after_event();
        sharing.after_event();
    }
};

std::unique_ptr<application> application_for(client_id id, world& world, judges& by) {
    auto& client = world.client(id);
    const auto& plan = world.plans();
    if (plan.work != work_kind::locks && plan.work != work_kind::sharing)
        return make_work(client, plan, world.chance());
    switch (client.plan().takes) {
        case client_plan::taking::single:
            return std::make_unique<workload>(client, plan, world.chance());
        case client_plan::taking::all:
        case client_plan::taking::most:
            return std::make_unique<multi_workload>(id, client, plan, world.chance(),
                                                    by.composites);
        case client_plan::taking::shared:
            return std::make_unique<sharing_workload>(id, client, plan, world.chance(), by.sharing);
    }
    return nullptr;
}

std::string kind_of(const scenario& scenario) {
    if (scenario.trial.hunting) return " --lease-hunt";
    std::string text;
    if (scenario.kind != server_kind::ensemble)
        text += fmt::format(" --servers {}", to_string(scenario.kind));
    if (scenario.work != work_kind::locks)
        text += fmt::format(" --work {}", to_string(scenario.work));
    return text;
}

void play(world& world, judges& by, outcome& result) {
    for (const auto& plan : world.plans().clients) {
        auto& client = world.add_client(plan);
        client.start(application_for(world.size() - 1, world, by));
    }
    world.plan_faults();
    world.stop_faults_after(world.plans().faults_last);
    while (!world.over() && result.events != k_most_events && world.step()) {
        ++result.events;
        by.after_event();
    }
    if (!world.over()) throw violation{"G7", "the history does not come to an end"};
}

}  // namespace

outcome simulate(std::uint64_t seed, const reduction& reduced, trace::detail wanted) {
    return simulate(draw_scenario(seed), reduced, wanted);
}

outcome simulate(scenario&& scenario, const reduction& reduced, trace::detail wanted) {
    const auto seed = scenario.seed;
    world world{reduce(std::move(scenario), reduced), ~seed, reduced.only, wanted};
    outcome result;
    result.seed = seed;
    result.kind = kind_of(world.plans());
    result.reduced = reduced;
    result.clients = world.plans().clients.size();
    result.scenario = describe(world.plans());
    judges by{world};
    try {
        play(world, by, result);
    } catch (const violation& breach) {
        result.broken = true;
        result.invariant = breach.invariant();
        result.breach = breach.what();
        world.story().note(world.now(),
                           [&] { return breach.invariant() + " is broken: " + breach.what(); });
    }
    result.fingerprint = world.fingerprint();
    result.grants = world.grants();
    result.batches = world.truth().batches();
    result.creation_batches = world.truth().creation_batches();
    result.double_holds = by.contract.broken().double_holds;
    result.refused_by_token = by.contract.broken().refused_by_token;
    result.brought_back = by.contract.broken().brought_back;
    result.lost_data = world.truth().has_lost_data();
    result.drawn = world.drawn();
    const auto& story = world.story();
    result.story.assign(story.lines().begin(), story.lines().end());
    result.disturbances.assign(story.disturbances().begin(), story.disturbances().end());
    return result;
}

std::string outcome::replay() const {
    return fmt::format("scripts/simulate --seed {}{}{} --trace", seed, kind, reduced.arguments());
}

std::string outcome::report(std::size_t last_events) const {
    auto text = fmt::format("{}\nbroken: {}: {}\nreplay: {}\nwhat goes wrong:\n", scenario,
                            invariant, breach, replay());
    for (const auto& line : disturbances) text += line + '\n';
    const auto first = story.size() > last_events ? story.size() - last_events : 0;
    text +=
        fmt::format("the last {} of {} lines of the story:\n", story.size() - first, story.size());
    for (auto i = first; i != story.size(); ++i) text += story[i] + '\n';
    return text;
}

}  // namespace turnstile::simulation
