// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "deterministic/scenarios.hpp"

namespace turnstile::deterministic_tests {

namespace {

std::string name_of(int process) {
    return "service-" + std::to_string(process);
}

void lead(judge& leaders, leader_term& term, std::chrono::milliseconds length) {
    const judge::stay here{leaders, [&term] { return term.valid(); }, term.fencing_token()};
    for (; length > 0ms && !term.lost().stop_requested(); length -= 100ms)
        std::this_thread::sleep_for(100ms);
}

void elections(simulated_world& world) {
    judge leaders{"leaders"};
    run_service(world, [&](int process) {
        chance dice{process};
        client servers{k_servers, own_options()};
        leader seat{servers,
                    "/election",
                    [&](leader_term& term) { lead(leaders, term, dice.up_to(3s)); },
                    {.id = name_of(process)}};
        for (chance calls{process + 100};;) {
            seat.start();
            std::this_thread::sleep_for(calls.up_to(8s));
            if (calls.one_in(2)) {
                seat.resign();
            } else {
                seat.close();
                require(!seat.leads(), "leads, and is closed");
            }
        }
    });
    require(leaders.grants() >= progress(5), "hardly any term");
}

// The leader's function returns or throws at once. The library must pause before it calls the function again.
void hot_functions(simulated_world& world) {
    int returns = 0;
    int throws = 0;
    world.start("hot", [&] {
        client servers{k_servers, own_options()};
        leader seat{servers, "/hot", [&](leader_term&) { ++returns; }};
        leader failing{servers, "/failing", [&](leader_term&) {
                           ++throws;
                           throw std::runtime_error{"no database"};
                       }};
        seat.start();
        failing.start();
        std::this_thread::sleep_for(10min);
    });
    const auto begin = world.now();
    std::this_thread::sleep_for(10min);
    const auto seconds = (world.now() - begin) / 1s;
    require(returns <= seconds + 1, "more terms than seconds");
    require(throws <= 30, "a function that always throws is called again and again");
    require(returns >= static_cast<int>(progress(5)), "hardly any term");
    require(throws >= 2, "a function that threw is not called again");
}

void successions(simulated_world& world) {
    judge leaders{"leaders"};
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        leader seat{servers,
                    "/election",
                    [&](leader_term& term) { lead(leaders, term, 20s); },
                    {.id = name_of(process)}};
        seat.start();
        for (chance dice{process};;) {
            std::this_thread::sleep_for(dice.up_to(4s));
            (void)seat.move_to(name_of(dice.below(3)), 5s, {.timeout = 5s});
            if (const auto why = seat.failure()) require(false, why->message());
        }
    });
    require(leaders.grants() >= progress(5), "hardly any term");
}

// While a participant continues to lead, the scenario reports it to the judge several times with the same fencing
// token. So the judge must allow tokens that repeat.
void latches(simulated_world& world) {
    judge leaders{"leaders", 1, judge::tokens::may_repeat};
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        leader seat{
            servers, "/latch", {.id = name_of(process), .protocol = election_protocol::latch}};
        for (chance dice{process};;) {
            seat.start();
            if (seat.await({.timeout = 20s})) {
                const auto until = seat.valid_until();
                const auto token = seat.fencing_token();
                // Between the two calls, the participant may have lost the lead and got it back.
                if (token != fencing_token{} && boottime_clock::now() < until) {
                    const judge::stay here{
                        leaders,
                        [&seat, token] { return seat.leads() && seat.fencing_token() == token; },
                        token};
                    for (auto left = dice.up_to(3s); left > 0ms && seat.leads(); left -= 100ms)
                        std::this_thread::sleep_for(100ms);
                }
            }
            if (dice.one_in(2)) seat.close();
        }
    });
    require(leaders.grants() >= progress(5), "hardly any leader");
}

}  // namespace

std::vector<service_scenario> election_scenarios() {
    return {{"hot", "leader: functions that return or throw at once", hot_functions},
            {"election", "leader, with a function: start, terms, resign, close", elections},
            {"move_to", "leaders that name who comes next", successions},
            {"latch", "leader, without a function: start, await, close", latches}};
}

}  // namespace turnstile::deterministic_tests
