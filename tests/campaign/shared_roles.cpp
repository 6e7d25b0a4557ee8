// SPDX-License-Identifier: Apache-2.0
// A campaign's worker uses the shared recipes: shared_mutex with its conversions, and semaphore.
#include "player.hpp"
#include "turnstile/semaphore.hpp"
#include "turnstile/shared_mutex.hpp"

namespace campaign {

namespace {

// Converts a hold, with a note before and after. Until the answer, judge.py counts the hold as the weaker kind.
void convert(player& me, const trace& of, guard& hold, const std::string& to,
             const std::function<result<void>(guard&)>& how, milliseconds timeout) {
    const auto now = boottime_clock::now();
    me.out().write(now, "convert", of.id, "to={} deadline={}", to, nanoseconds(now + timeout));
    const auto outcome = how(hold);
    const auto after = boottime_clock::now();
    const auto until = hold.valid_until();
    me.out().write(after, "converted", of.id,
                   "to={} until={} tokens=/campaign/shared:{} result={} over={}", to,
                   nanoseconds(until), hold.fencing_token().to_string(),
                   outcome ? "ok" : outcome_of(outcome.error()), hold.status() ? "no" : "yes");
}

void upgradable_turn(player& me, turnstile::shared_mutex& lock, const trace& of, guard& hold) {
    constexpr milliseconds k_downgrade{20'000};  // at most as long as the lease
    me.critical_section(of, hold);
    if (me.chance(0.6)) {
        const auto timeout = me.some_timeout();
        // The executor that runs the hold's callbacks also delivers the answer to the upgrade.
        convert(
            me, of, hold, "writer",
            [&](guard& mine) {
                acquire_options options;
                options.timeout = timeout;
                options.stop = me.ending();
                return lock.upgrade(mine, std::move(options));
            },
            timeout);
        me.critical_section(of, hold);
    }
    if (me.chance(0.4)) {
        convert(
            me, of, hold, "upgradable",
            [&](guard& mine) { return lock.downgrade_to_upgradable(mine); }, k_downgrade);
        me.critical_section(of, hold);
    }
    if (me.chance(0.4)) {
        convert(
            me, of, hold, "reader", [&](guard& mine) { return lock.downgrade_to_shared(mine); },
            k_downgrade);
        me.critical_section(of, hold);
    }
}

}  // namespace

void play_shared(player& me) {
    const std::string path = "/campaign/shared";
    turnstile::shared_mutex lock{me.servers(), path};
    const auto readers = lock.readers();
    const auto upgraders = lock.upgraders();
    for (; me.goes_on(); me.think()) {
        const int kind = me.between(0, 3);
        if (kind <= 1) {
            me.turn(way_of(readers), "role=shared path=" + path + " want=reader", {path});
            continue;
        }
        if (kind == 2 && me.chance(0.7)) {
            me.turn(way_of(lock), "role=shared path=" + path + " want=writer", {path});
            continue;
        }
        // Takes an upgradable hold and upgrades it, or a writer's hold and downgrades it.
        const bool writes = kind == 2;
        const auto timeout = me.some_timeout();
        const auto mine = me.begin("role=shared path=" + path + " want=" +
                                       (writes ? std::string{"writer"} : std::string{"upgradable"}),
                                   timeout);
        auto options = me.options(mine, timeout);
        auto hold =
            writes ? lock.acquire(std::move(options)) : upgraders.acquire(std::move(options));
        if (!hold) {
            me.failed(*mine, hold.error());
            continue;
        }
        me.granted(*mine, *hold, {path});
        upgradable_turn(me, lock, *mine, *hold);
        me.release(*mine, *hold);
    }
}

void play_semaphore(player& me) {
    constexpr int k_limit = 4;
    const std::string path = "/campaign/semaphore";
    turnstile::semaphore pool{me.servers(), path, k_limit};
    for (; me.goes_on(); me.think()) {
        const int permits = me.between(1, 3);
        const way lock{[&](acquire_options o) { return pool.acquire(permits, std::move(o)); },
                       [&](acquire_options o) { return pool.try_acquire(permits, std::move(o)); },
                       [&](acquire_options o, std::function<void(result<guard>)> done) {
                           pool.async_acquire(permits, std::move(o), std::move(done));
                       }};
        me.turn(lock,
                fmt::format("role=semaphore path={} want=lease permits={} limit={}", path, permits,
                            k_limit),
                {path});
    }
}

}  // namespace campaign
