// SPDX-License-Identifier: Apache-2.0
#include "verification/simulator.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "simulation/world.hpp"
#include "verification/work/composite_judge.hpp"
#include "verification/work/multi_workload.hpp"
#include "verification/work/recipe_work.hpp"
#include "verification/work/sharing_judge.hpp"
#include "verification/work/sharing_workload.hpp"
#include "verification/work/workload.hpp"

namespace turnstile::simulation {

namespace {

constexpr std::uint64_t k_most_events = 2'000'000;

scenario reduce(scenario&& what, const reduction& by) {
    if (what.clients.size() > by.clients) what.clients.resize(by.clients);
    what.rounds = std::min(what.rounds, by.rounds);
    return what;
}

// Of what is built on locks.
struct judges {
    composite_judge composites;
    sharing_judge sharing;
    void after_event() {
        composites.after_event();
        sharing.after_event();
    }
};

std::unique_ptr<application> application_for(client_id id, world& one, judges& by) {
    auto& client = one.client(id);
    const auto& what = one.plans();
    if (what.work != work_kind::locks && what.work != work_kind::sharing)
        return make_work(client, what, one.chance());
    switch (client.plan().takes) {
        case client_plan::taking::one:
            return std::make_unique<workload>(client, what, one.chance());
        case client_plan::taking::all:
        case client_plan::taking::most:
            return std::make_unique<multi_workload>(id, client, what, one.chance(), by.composites);
        case client_plan::taking::shared:
            return std::make_unique<sharing_workload>(id, client, what, one.chance(), by.sharing);
    }
    return nullptr;
}

std::string kind_of(const scenario& what) {
    if (what.trial.hunting) return " --lease-hunt";
    return what.work == work_kind::locks ? "" : fmt::format(" --work {}", to_string(what.work));
}

void play(world& one, outcome& result) {
    judges by{{one.truth(), one.time()}, {one.truth(), one.time(), one.judge()}};
    for (const auto& plan : one.plans().clients) {
        auto& client = one.add_client(plan);
        client.start(application_for(one.size() - 1, one, by));
    }
    one.plan_faults();
    one.stop_faults_after(one.plans().faults_last);
    while (!one.over() && result.events != k_most_events && one.step()) {
        ++result.events;
        by.after_event();
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
    result.kind = kind_of(one.plans());
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
    result.batches = one.truth().batches();
    result.drawn = one.drawn();
    const auto& story = one.story();
    result.story.assign(story.lines().begin(), story.lines().end());
    result.disturbances.assign(story.disturbances().begin(), story.disturbances().end());
    return result;
}

std::string outcome::replay() const {
    return fmt::format("scripts/simulate --seed {}{}{} --trace", seed, kind, reduced.arguments());
}

std::string outcome::report(std::size_t last_events) const {
    auto text = fmt::format("{}\nbroken: {}: {}\nreplay: {}\nwhat goes wrong:\n", scenario,
                            invariant, what, replay());
    for (const auto& line : disturbances) text += line + '\n';
    const auto first = story.size() > last_events ? story.size() - last_events : 0;
    text +=
        fmt::format("the last {} of {} lines of the story:\n", story.size() - first, story.size());
    for (auto i = first; i != story.size(); ++i) text += story[i] + '\n';
    return text;
}

}  // namespace turnstile::simulation
