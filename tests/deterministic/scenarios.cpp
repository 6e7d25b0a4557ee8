// SPDX-License-Identifier: Apache-2.0
#include "deterministic/scenarios.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace turnstile::deterministic_tests {

namespace {

constexpr int k_processes = 3;
constexpr std::size_t k_hardly_any = 2;
constexpr std::chrono::seconds k_all_the_time{20};  // mean time between two faults of one kind

// If true, the servers and processes of this run fail often.
bool fails_all_the_time = false;

}  // namespace

std::size_t progress(std::size_t usual) {
    return fails_all_the_time ? std::min(usual, k_hardly_any) : usual;
}

std::vector<service_scenario> all_scenarios() {
    std::vector<service_scenario> all;
    for (const auto& some :
         {lock_scenarios, composite_scenarios, election_scenarios, record_scenarios})
        for (auto& each : some()) all.push_back(std::move(each));
    return all;
}

testing::simulation_options hard_times(std::uint64_t seed) {
    std::mt19937_64 source{seed};
    const auto below = [&](int n) { return std::uniform_int_distribution<int>{0, n - 1}(source); };
    testing::simulation_options times;
    times.seed = seed;
    times.servers = below(4) == 0 ? 1 : 3;
    times.session_timeout = std::array{4s, 6s, 10s, 20s}.at(static_cast<std::size_t>(below(4)));
    times.tick = below(2) == 0 ? 500ms : 2000ms;
    times.lost_messages = std::array{0.0, 0.002, 0.01}.at(static_cast<std::size_t>(below(3)));
    times.slow_messages = std::array{0.0, 0.01, 0.05}.at(static_cast<std::size_t>(below(3)));
    times.faults_every =
        std::array{0s, k_all_the_time, 60s, 180s}.at(static_cast<std::size_t>(below(4)));
    times.story = testing::story_policy::keep;
    return times;
}

testing::run_report play(const service_scenario& scenario, std::uint64_t seed) {
    const auto times = hard_times(seed);
    fails_all_the_time = times.faults_every == k_all_the_time;
    return testing::run_deterministically(times, scenario.run);
}

client_options own_options() {
    client_options options;
    options.session_timeout = 10s;
    return options;
}

void run_service(simulated_world& world, const std::function<void(int process)>& work) {
    std::vector<simulated_process> all;
    const auto start = [&](int i) {
        return world.start("service-" + std::to_string(i), [&work, i] { work(i); });
    };
    for (int i = 0; i != k_processes; ++i) all.push_back(start(i));
    const auto stop_now_and_then = [&](std::chrono::seconds length) {
        chance dice{static_cast<int>(length.count())};
        for (const auto end = world.now() + length; world.now() < end;) {
            std::this_thread::sleep_for(dice.up_to(10s));
            world.pause(all.at(static_cast<std::size_t>(dice.below(k_processes))), dice.up_to(20s));
        }
    };
    for (int i = 0; i != k_processes; ++i) {
        stop_now_and_then(40s);
        auto& victim = all.at(static_cast<std::size_t>(i));
        world.kill(victim);
        std::this_thread::sleep_for(3s);
        victim = start(i);
    }
    stop_now_and_then(60s);
}

}  // namespace turnstile::deterministic_tests
