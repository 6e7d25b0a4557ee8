// Scenarios of the recipes that write: as those of locks, on one folder that is there.
#include "simulation/recipe_judge.hpp"
#include "simulation/scenario.hpp"

namespace turnstile::simulation {

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
    for (auto& one : made.clients) one.takes = client_plan::taking::one;
    made.every[static_cast<std::size_t>(fault::resize)] = {};
    made.every[static_cast<std::size_t>(fault::reap)] = {};
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
