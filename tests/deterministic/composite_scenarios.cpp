// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "deterministic/scenarios.hpp"

namespace turnstile::deterministic_tests {

namespace {

void shared(simulated_world& world) {
    judge writing{"writers"};
    judge reading{"readers", 100};
    judge upgradable{"upgradable"};
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        shared_mutex lock{servers, "/locks/a"};
        for (chance dice{process};;) {
            const int kind = dice.below(4);
            auto hold = kind == 0   ? lock.acquire({.timeout = 30s})
                        : kind == 1 ? lock.acquire_upgrade({.timeout = 30s})
                                    : lock.acquire_shared({.timeout = 30s});
            if (!hold) continue;
            const auto valid = [&hold] { return hold->valid(); };
            if (kind == 0) {
                writing.apart_from(reading, valid);
                writing.apart_from(upgradable, valid);
                stay_inside(writing, *hold, dice.up_to(500ms));
                if (dice.one_in(2) && lock.downgrade_to_shared(*hold)) {
                    reading.apart_from(writing, valid);
                    stay_inside(reading, *hold, dice.up_to(500ms));
                }
            } else if (kind == 1) {
                upgradable.apart_from(writing, valid);
                stay_inside(upgradable, *hold, dice.up_to(300ms));
                if (lock.upgrade(*hold, {.timeout = 10s})) {
                    writing.apart_from(reading, valid);
                    stay_inside(writing, *hold, dice.up_to(300ms));
                }
            } else {
                reading.apart_from(writing, valid);
                stay_inside(reading, *hold, dice.up_to(1s));
            }
        }
    });
    require(reading.grants() + writing.grants() >= progress(), "hardly any grant");
}

void several(simulated_world& world) {
    judge a{"a"};
    judge b{"b"};
    judge c{"c"};
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        mutex first{servers, "/locks/a"};
        mutex second{servers, "/locks/b"};
        mutex third{servers, "/locks/c"};
        multi_lock all{first, second, third};
        multi_lock some{third, first};
        for (chance dice{process};;) {
            const bool three = dice.one_in(2);
            auto hold = three ? all.acquire({.timeout = 30s}) : some.acquire({.timeout = 30s});
            if (!hold) continue;
            const auto valid = [&hold] { return hold->valid(); };
            const auto all_tokens = hold->fencing_tokens();
            const auto& tokens = all_tokens.components();  // in the order of the locks' names
            const judge::stay in_a{a, valid, tokens.front().token};
            const judge::stay in_c{c, valid, tokens.back().token};
            std::optional<judge::stay> in_b;
            if (three) in_b.emplace(b, valid, tokens.at(1).token);
            std::this_thread::sleep_for(dice.up_to(500ms));
        }
    });
    require(a.grants() >= progress(), "hardly any grant");
}

}  // namespace

std::vector<service_scenario> composite_scenarios() {
    return {{"shared", "readers, writers, upgrades and downgrades", shared},
            {"several", "multi_locks of three and of two locks", several}};
}

}  // namespace turnstile::deterministic_tests
