// SPDX-License-Identifier: Apache-2.0
// scenarios: services as users write them. Each service uses one recipe, and consists of several processes with threads
// and blocking calls. Servers fail, processes stop, and the run kills and restarts each process. Time is virtual: a
// sleep simulates a program's work, or a random time until its next action.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "deterministic/judge.hpp"
#include "turnstile/testing/deterministic_run.hpp"
#include "turnstile/turnstile.hpp"

namespace turnstile::deterministic_tests {

using namespace std::chrono_literals;
using testing::require;
using testing::simulated_process;
using testing::simulated_world;

inline constexpr const char* k_servers = "zk1:2181,zk2:2181,zk3:2181/app";

struct service_scenario {
    std::string name;
    std::string about;
    std::function<void(simulated_world&)> run;
    friend void PrintTo(const service_scenario& each, std::ostream* out) { *out << each.name; }
};

[[nodiscard]] std::vector<service_scenario> lock_scenarios();
[[nodiscard]] std::vector<service_scenario> composite_scenarios();
[[nodiscard]] std::vector<service_scenario> election_scenarios();
[[nodiscard]] std::vector<service_scenario> record_scenarios();  // commits, jobs, rates
[[nodiscard]] std::vector<service_scenario> all_scenarios();

// Returns the servers, the faults and their frequency in a run with this seed.
[[nodiscard]] testing::simulation_options hard_times(std::uint64_t seed);
[[nodiscard]] testing::run_report play(const service_scenario& scenario, std::uint64_t seed);

// Returns the options of every client.
[[nodiscard]] client_options own_options();

// Returns the number of results, such as grants, that the current run must reach: `usual`, or hardly any if servers and
// processes fail often.
[[nodiscard]] std::size_t progress(std::size_t usual = 8);

// Runs processes that do the same work for some minutes. Each process is stopped now and then, and is killed and
// restarted once.
void run_service(simulated_world& world, const std::function<void(int process)>& work);

// Random numbers for one thread of one process.
class chance {
public:
    explicit chance(int thread) : source_{static_cast<std::uint64_t>(thread)} {}
    [[nodiscard]] bool one_in(int n) { return below(n) == 0; }
    [[nodiscard]] int below(int n) { return std::uniform_int_distribution<int>{0, n - 1}(source_); }
    [[nodiscard]] std::chrono::milliseconds up_to(std::chrono::milliseconds most) {
        return std::chrono::milliseconds{below(static_cast<int>(most.count()) + 1)};
    }

private:
    std::mt19937_64 source_;
};

// Keeps the hold for `length`, or until the hold is lost. Meanwhile `of`, which checks the lock, counts the caller as a
// holder.
inline void stay_inside(judge& of, guard& hold, std::chrono::milliseconds length) {
    const judge::stay here{of, [&hold] { return hold.valid(); }, hold.fencing_token()};
    for (auto left = length; left > 0ms && hold.valid(); left -= 50ms)
        std::this_thread::sleep_for(std::min(left, std::chrono::milliseconds{50}));
}

}  // namespace turnstile::deterministic_tests
