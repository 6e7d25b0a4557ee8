// SPDX-License-Identifier: Apache-2.0
// Scenarios of single recipes: as those of locks; of those that write, on one folder that is there.
#include <string>
#include <utility>
#include <vector>

#include "simulation/recipe_judge.hpp"
#include "simulation/scenario.hpp"

namespace turnstile::simulation {

namespace {

bool writes(work_kind work) {
    return work == work_kind::commits || work == work_kind::elections || work == work_kind::jobs ||
           work == work_kind::rates;
}

// Readers and writers on one path; many of them give up.
void draw_conversions(scenario& made) {
    constexpr std::uint64_t k_conversions = 0x9fb21c651e98df25;
    dice chance{made.seed ^ k_conversions};
    // So long after what it has seen a write may commit; and what that was has gone.
    if (chance.chance(0.5)) made.time.disk_latency = std::chrono::milliseconds{400};
    made.rounds *= 2;
    made.read_write = "/locks/rw";
    made.semaphore.clear();
    made.other_recipes = 1;
    made.cancelled = 0.5;
    for (auto& one : made.clients) one.takes = client_plan::taking::one;
    made.every[static_cast<std::size_t>(fault::resize)] = {};
}

// Plain locks, one at a time.
void draw_locks(scenario& made, std::vector<std::string>&& folders) {
    made.read_write.clear();
    made.semaphore.clear();
    made.other_recipes = 0;
    made.lock_delay = {};
    made.folders = std::move(folders);
    for (auto& one : made.clients) one.takes = client_plan::taking::one;
    made.every[static_cast<std::size_t>(fault::resize)] = {};
}

// One lock, which threads take again while they hold it, for a limited time now and then.
void draw_recursion(scenario& made) {
    draw_locks(made, {"/locks/a"});
    made.max_hold = made.time.session_timeout;
}

// Few locks, several of which a thread takes.
void draw_deadlocks(scenario& made) {
    draw_locks(made, {"/locks/a", "/locks/b", "/locks/c"});
    made.first_sequence = 0;
    // Whose metadata is overwritten has no owner any more; and a waiter with two ahead whose znode is deleted by
    // force learns it when the next one goes, which in a cycle is never (docs/how-to/deadlocks.md).
    for (const auto by_hand : {fault::hand_set, fault::hand_delete, fault::take_away})
        made.every[static_cast<std::size_t>(by_hand)] = {};
    made.swept = 0;
}

// One lock, in a folder that is there, under which recipes write.
void draw_writes(scenario& made) {
    constexpr std::uint64_t k_recipes = 0x5851f42d4c957f2d;
    dice chance{made.seed ^ k_recipes};
    draw_locks(made, {"/locks/a"});
    made.folders_exist = true;
    made.first_sequence = 0;
    made.every[static_cast<std::size_t>(fault::reap)] = {};
    // A latch is as good as a lock: it is the same queue of another name.
    if (made.work == work_kind::elections && chance.chance(0.5))
        made.work_wants.kind = core::contender_kind::latch;
    if (chance.chance(0.5)) made.held_up = chance.pick(std::vector<double>{0.05, 0.3});
    const auto timeout =
        std::chrono::duration_cast<std::chrono::milliseconds>(made.time.session_timeout).count();
    made.job.period = timeout / static_cast<std::int64_t>(chance.from_to(1, 8));
    made.job.at_most_for = timeout / static_cast<std::int64_t>(chance.from_to(1, 4));
    made.rate.entries = chance.from_to(1, 4);
    made.rate.period = timeout / static_cast<std::int64_t>(chance.from_to(1, 8));
}

}  // namespace

void draw_sharing(dice& chance, scenario& s) {
    const auto timeout = s.time.session_timeout;
    for (std::size_t i = 0; i != s.clients.size(); ++i) {
        if (!chance.chance(0.7) && i != 0) continue;
        auto& one = s.clients[i];
        one.takes = client_plan::taking::shared;
        one.workers = chance.from_to(2, 4);
        one.retain_for = chance.pick(
            std::vector<core::duration>{{}, {}, timeout / 8, timeout, 4 * timeout, 10 * timeout});
        one.passes = static_cast<std::uint32_t>(chance.below(4));
    }
    if (chance.chance(0.3)) s.max_hold = timeout;
    if (chance.chance(0.4)) s.every[static_cast<std::size_t>(fault::ask_to_go)] = timeout / 2;
}

std::string_view to_string(work_kind work) noexcept {
    switch (work) {
        case work_kind::locks: return "locks";
        case work_kind::sharing: return "sharing";
        case work_kind::conversions: return "conversions";
        case work_kind::recursion: return "recursion";
        case work_kind::deadlocks: return "deadlocks";
        case work_kind::commits: return "commits";
        case work_kind::elections: return "elections";
        case work_kind::jobs: return "jobs";
        case work_kind::rates: return "rates";
    }
    return {};
}

scenario scenario::draw(std::uint64_t seed, work_kind work) {
    if (work == work_kind::locks) return draw(seed);
    auto made = draw_strict(seed);
    made.work = work;
    if (work == work_kind::conversions) draw_conversions(made);
    if (work == work_kind::recursion) draw_recursion(made);
    if (work == work_kind::deadlocks) draw_deadlocks(made);
    if (writes(work)) draw_writes(made);
    if (work == work_kind::sharing) {
        constexpr std::uint64_t k_sharing = 0x6c8e9cf570932bd5;
        dice chance{seed ^ k_sharing};
        draw_locks(made, {"/locks/a"});
        made.ensembles.clear();
        draw_sharing(chance, made);
    }
    return made;
}

}  // namespace turnstile::simulation
