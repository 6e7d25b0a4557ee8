// Scenarios of locks that are shared, and of the recipes that write: as those of locks, on one folder that is
// there.
#include "simulation/recipe_judge.hpp"
#include "simulation/scenario.hpp"

namespace turnstile::simulation {

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

scenario scenario::draw(std::uint64_t seed, work_kind work) {
    auto made = draw(seed);
    if (work == work_kind::locks) return made;
    constexpr std::uint64_t k_recipes = 0x5851f42d4c957f2d;
    dice chance{seed ^ k_recipes};
    made.work = work;
    made.folders = {"/locks/a"};
    made.folders_exist = true;
    made.first_sequence = 0;
    made.read_write.clear();
    made.semaphore.clear();
    made.lock_delay = {};
    made.other_recipes = 0;
    made.ensembles.clear();
    for (auto& one : made.clients) one.takes = client_plan::taking::one;
    made.every[static_cast<std::size_t>(fault::resize)] = {};
    made.every[static_cast<std::size_t>(fault::reap)] = {};
    if (work == work_kind::sharing) {
        draw_sharing(chance, made);
        return made;
    }
    // A latch is as good as a lock: it is the same queue of another name.
    if (work == work_kind::elections && chance.chance(0.5))
        made.work_wants.kind = core::contender_kind::latch;
    if (chance.chance(0.5)) made.held_up = chance.pick(std::vector<double>{0.05, 0.3});
    const auto timeout =
        std::chrono::duration_cast<std::chrono::milliseconds>(made.time.session_timeout).count();
    made.job.period = timeout / static_cast<std::int64_t>(chance.from_to(1, 8));
    made.job.at_most_for = timeout / static_cast<std::int64_t>(chance.from_to(1, 4));
    made.rate.entries = chance.from_to(1, 4);
    made.rate.period = timeout / static_cast<std::int64_t>(chance.from_to(1, 8));
    return made;
}

}  // namespace turnstile::simulation
