// SPDX-License-Identifier: Apache-2.0
// Implements turnstile::testing::simulated_world: a run's servers and processes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "deterministic/live_servers.hpp"
#include "schedule/process_clock.hpp"
#include "turnstile/testing/deterministic_run.hpp"

namespace turnstile::testing {

// Each run has one object of this class, until the run's process ends. Thread safety: as for simulated_world.
class simulated_world::state {
public:
    // Must be called on the run's first thread. Creates the servers, which clients' connect strings then reach.
    state(const simulation_options& options, const run_limits& limits);
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state() = default;

    [[nodiscard]] deterministic::live_servers& servers() noexcept { return servers_; }

    simulated_process start(std::string_view name, std::function<void()> main);
    [[nodiscard]] bool runs(simulated_process which);
    void await(simulated_process which);
    void kill(simulated_process which);
    // Returns the scheduler's number of the process.
    [[nodiscard]] std::uint16_t number_of(simulated_process which);

private:
    struct process {
        std::uint16_t number = 0;
        std::string name;
        bool over = false;
    };

    [[nodiscard]] process& find(simulated_process which) REQUIRES(mutex_);
    [[nodiscard]] schedule::process_clock draw_clock();
    void run(process& own, const std::function<void()>& main);
    void set_over(process& own);

    const double drift_;
    deterministic::live_servers servers_;
    base::mutex mutex_;
    base::condition_variable ended_;
    std::vector<std::shared_ptr<process>> processes_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::testing
