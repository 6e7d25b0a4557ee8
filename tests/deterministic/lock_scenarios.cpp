// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <mutex>
#include <optional>

#include "deterministic/scenarios.hpp"

namespace turnstile::deterministic_tests {

namespace {

void by_two_threads(int process, const std::function<void(int thread)>& work) {
    std::thread other{[&] { work(2 * process + 1); }};
    work(2 * process);
    other.join();
}

void mutexes(simulated_world& world) {
    judge exclusive{"mutex"};
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        mutex lock{servers, "/locks/a"};
        by_two_threads(process, [&](int thread) {
            for (chance dice{thread};;) {
                auto hold = dice.one_in(4) ? lock.try_acquire() : lock.acquire({.timeout = 30s});
                if (hold) {
                    stay_inside(exclusive, *hold, dice.up_to(1s));
                    if (dice.one_in(2)) (void)hold->release();
                }
                std::this_thread::sleep_for(dice.up_to(300ms));
            }
        });
    });
    require(exclusive.grants() >= progress(), "hardly any grant");
}

void retained(simulated_world& world) {
    judge exclusive{"mutex", 1, judge::tokens::may_repeat};
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        mutex lock{servers, "/locks/a", {.retain_for = 3s, .cohort = 4}};
        by_two_threads(process, [&](int thread) {
            for (chance dice{thread};;) {
                if (auto hold = lock.acquire({.timeout = 30s}))
                    stay_inside(exclusive, *hold, dice.up_to(400ms));
                std::this_thread::sleep_for(dice.up_to(200ms));
            }
        });
    });
    require(exclusive.grants() >= progress(), "hardly any grant");
}

void delayed(simulated_world& world) {
    judge exclusive{"mutex"};
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        mutex lock{servers, "/locks/a", {.lock_delay = 5s}};
        for (chance dice{process};;) {
            if (auto hold = lock.acquire({.timeout = 60s}))
                stay_inside(exclusive, *hold, dice.up_to(1s));
            std::this_thread::sleep_for(dice.up_to(200ms));
        }
    });
    require(exclusive.grants() >= progress(), "hardly any grant");
}

void recursive(simulated_world& world) {
    judge exclusive{"mutex"};
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        recursive_mutex lock{servers, "/locks/a"};
        by_two_threads(process, [&](int thread) {
            for (chance dice{thread};;) {
                if (auto outer = lock.acquire({.timeout = 30s})) {
                    auto inner = lock.acquire({.timeout = 1s});
                    if (!inner) require(!outer->valid(), "its holder does not enter it again");
                    stay_inside(exclusive, *outer, dice.up_to(500ms));
                }
                std::this_thread::sleep_for(dice.up_to(200ms));
            }
        });
    });
    require(exclusive.grants() >= progress(), "hardly any grant");
}

void cancelled(simulated_world& world) {
    judge exclusive{"mutex"};
    run_service(world, [&](int process) {
        chance closing{process};
        for (;;) {
            client servers{k_servers, own_options()};
            mutex lock{servers, "/locks/a"};
            std::stop_source stop;
            std::thread other{[&] {
                for (chance dice{process + 100}; !stop.stop_requested();) {
                    auto hold = lock.acquire({.timeout = dice.up_to(5s), .stop = stop.get_token()});
                    if (hold) stay_inside(exclusive, *hold, dice.up_to(500ms));
                    if (!hold) std::this_thread::sleep_for(dice.up_to(100ms));
                }
            }};
            std::this_thread::sleep_for(closing.up_to(8s));
            if (closing.one_in(2)) servers.close();
            stop.request_stop();
            other.join();
        }
    });
    require(exclusive.grants() >= progress(), "hardly any grant");
}

void asynchronous(simulated_world& world) {
    judge exclusive{"mutex"};
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        mutex lock{servers, "/locks/a"};
        for (chance dice{process};;) {
            std::mutex own;
            std::condition_variable told;
            std::optional<result<guard>> outcome;
            lock.async_acquire({.timeout = 20s}, [&](result<guard> hold) {
                const std::lock_guard held{own};
                outcome = std::move(hold);
                told.notify_one();
            });
            std::unique_lock held{own};
            told.wait(held, [&outcome] { return outcome.has_value(); });
            if (*outcome) stay_inside(exclusive, **outcome, dice.up_to(500ms));
        }
    });
    require(exclusive.grants() >= progress(), "hardly any grant");
}

void permits(simulated_world& world) {
    judge inside{"semaphore", 2};
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        semaphore pool{servers, "/pool", 2};
        by_two_threads(process, [&](int thread) {
            for (chance dice{thread};;) {
                if (auto hold = pool.acquire({.timeout = 30s}))
                    stay_inside(inside, *hold, dice.up_to(1s));
                std::this_thread::sleep_for(dice.up_to(200ms));
            }
        });
    });
    require(inside.grants() >= progress(), "hardly any permit");
}

void orders(simulated_world& world) {
    judge exclusive{"mutex"};
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        mutex lock{servers, "/locks/a"};
        std::thread operators{[&] {
            revocation all{servers, "/locks/a"};
            for (chance dice{process + 100};;) {
                std::this_thread::sleep_for(dice.up_to(20s));
                const auto queue = lock.queue({.timeout = 5s});
                if (!queue || queue->empty()) continue;
                (void)all.take(queue->front(), {.who = "ops", .why = "a test"});
            }
        }};
        for (chance dice{process};;) {
            if (auto hold = lock.acquire({.timeout = 30s}))
                stay_inside(exclusive, *hold, dice.up_to(3s));
            std::this_thread::sleep_for(dice.up_to(100ms));
        }
    });
    require(exclusive.grants() >= progress(), "hardly any grant");
}

}  // namespace

std::vector<service_scenario> lock_scenarios() {
    return {{"mutex", "acquire, try_acquire, release by two threads of each process", mutexes},
            {"retained", "a retained lock with a cohort", retained},
            {"lock_delay", "a lock with a delay after a crash", delayed},
            {"recursive", "a lock that is entered twice", recursive},
            {"cancelled", "waits that end by time, token and close()", cancelled},
            {"asynchronous", "async_acquire", asynchronous},
            {"semaphore", "two permits", permits},
            {"revocation", "holders whose lock an operator takes", orders}};
}

}  // namespace turnstile::deterministic_tests
