// SPDX-License-Identifier: Apache-2.0
// Draws scenarios for recipes. A recipe that writes uses a single folder, which exists.
#include <string>
#include <utility>
#include <vector>

#include "verification/scenarios.hpp"

namespace turnstile::simulation {

namespace {

bool writes(work_kind work) {
    return work == work_kind::commits || work == work_kind::elections || work == work_kind::jobs ||
           work == work_kind::rates;
}

// Readers and writers compete for one path, and often give up.
void draw_conversions(scenario& scenario) {
    constexpr std::uint64_t k_conversions = 0x9fb21c651e98df25;
    dice chance{scenario.seed ^ k_conversions};
    // With a disk this slow, the state often changes between a client's read and its write.
    if (chance.chance(0.5)) scenario.time.disk_latency = std::chrono::milliseconds{400};
    scenario.rounds *= 2;
    scenario.read_write = "/locks/rw";
    scenario.semaphore.clear();
    scenario.other_recipes = 1;
    scenario.cancelled = 0.5;
    for (auto& client : scenario.clients) client.takes = client_plan::taking::single;
    scenario.every[static_cast<std::size_t>(fault::resize)] = {};
}

// Draws plain locks. No call takes several locks at once.
void draw_locks(scenario& scenario, std::vector<std::string>&& folders) {
    scenario.read_write.clear();
    scenario.semaphore.clear();
    scenario.other_recipes = 0;
    scenario.lock_delay = {};
    scenario.folders = std::move(folders);
    for (auto& client : scenario.clients) client.takes = client_plan::taking::single;
    scenario.every[static_cast<std::size_t>(fault::resize)] = {};
}

// Draws a lock that threads enter again while they hold it, sometimes with a time limit.
void draw_recursion(scenario& scenario) {
    draw_locks(scenario, {"/locks/a"});
    scenario.max_hold = scenario.time.session_timeout;
}

// Draws a few locks. Each thread takes two of them.
void draw_deadlocks(scenario& scenario) {
    draw_locks(scenario, {"/locks/a", "/locks/b", "/locks/c"});
    scenario.first_sequence = 0;
    // The search for deadlocks needs the contenders' metadata, so no operator overwrites them. No operator deletes a
    // waiter's znode either. The waiter may learn of the deletion only when its predecessor leaves, which never happens
    // in a cycle (docs/why/deadlocks.md).
    for (const auto by_hand : {fault::hand_set, fault::hand_delete, fault::take_away})
        scenario.every[static_cast<std::size_t>(by_hand)] = {};
    scenario.swept = 0;
}

// Draws settings for a recipe that writes under one lock. The lock's folder exists.
void draw_writes(scenario& scenario) {
    constexpr std::uint64_t k_recipes = 0x5851f42d4c957f2d;
    dice chance{scenario.seed ^ k_recipes};
    draw_locks(scenario, {"/locks/a"});
    scenario.folders_exist = true;
    scenario.first_sequence = 0;
    scenario.every[static_cast<std::size_t>(fault::reap)] = {};
    // An election's participants queue as latches or as locks.
    if (scenario.work == work_kind::elections && chance.chance(0.5))
        scenario.work_wants.kind = core::claim_kind::latch;
    // With a second folder, a commit may depend on the holds of two threads.
    if (scenario.work == work_kind::commits && chance.chance(0.5))
        scenario.folders.push_back("/locks/b");
    if (chance.chance(0.5)) scenario.held_up = chance.pick(std::vector<double>{0.05, 0.3});
    const auto timeout =
        std::chrono::duration_cast<std::chrono::milliseconds>(scenario.time.session_timeout)
            .count();
    scenario.job.period = timeout / static_cast<std::int64_t>(chance.from_to(1, 8));
    scenario.job.at_most_for = timeout / static_cast<std::int64_t>(chance.from_to(1, 4));
    scenario.rate.entries = chance.from_to(1, 4);
    scenario.rate.period = timeout / static_cast<std::int64_t>(chance.from_to(1, 8));
}

}  // namespace

void draw_sharing(dice& chance, scenario& s) {
    const auto timeout = s.time.session_timeout;
    for (std::size_t i = 0; i != s.clients.size(); ++i) {
        if (!chance.chance(0.7) && i != 0) continue;
        auto& client = s.clients[i];
        client.takes = client_plan::taking::shared;
        client.workers = chance.from_to(2, 4);
        client.retain_for = chance.pick(
            std::vector<core::duration>{{}, {}, timeout / 8, timeout, 4 * timeout, 10 * timeout});
        client.passes = static_cast<std::uint32_t>(chance.below(4));
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

scenario draw_scenario(std::uint64_t seed, work_kind work) {
    if (work == work_kind::locks) return draw_scenario(seed);
    auto result = draw_strict_scenario(seed);
    result.work = work;
    if (work == work_kind::conversions) draw_conversions(result);
    if (work == work_kind::recursion) draw_recursion(result);
    if (work == work_kind::deadlocks) draw_deadlocks(result);
    if (writes(work)) draw_writes(result);
    if (work == work_kind::sharing) {
        constexpr std::uint64_t k_sharing = 0x6c8e9cf570932bd5;
        dice chance{seed ^ k_sharing};
        draw_locks(result, {"/locks/a"});
        result.ensembles.clear();
        draw_sharing(chance, result);
    }
    return result;
}

}  // namespace turnstile::simulation
