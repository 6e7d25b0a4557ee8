// SPDX-License-Identifier: Apache-2.0
// bench_measure: measures how long acquires and hand-overs take while several clients acquire one lock again and again.
//
// Thread safety: run() from one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "turnstile/client.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/result.hpp"

namespace turnstile::cli {

struct bench_plan {
    std::string servers;
    client_options options;
    std::string path;  // the lock's path
    std::size_t clients = 1;
    std::chrono::milliseconds connect_timeout{};
};

struct bench_samples {
    std::vector<boottime_clock::duration> acquires;  // from the call to the grant
    std::vector<boottime_clock::duration>
        hand_overs;  // from a client's release to the next client's grant
    boottime_clock::duration span{};
};

class bench_measure {
public:
    explicit bench_measure(bench_plan plan) : plan_{std::move(plan)} {}

    // Connects all clients. Errors: the errors of client::wait_connected.
    result<void> connect();
    // Runs until `stop` is triggered. Returns the measurements, or the first client's failure.
    result<bench_samples> run(const std::stop_token& stop);

private:
    struct lane {
        bench_samples samples;
        std::optional<error> failure{};
    };
    void work(const client& servers, lane& own, const std::stop_token& stop);

    const bench_plan plan_;
    std::vector<std::unique_ptr<client>> clients_;
    // The time of the latest release; 0 while the lock is held.
    std::atomic<boottime_clock::rep> released_at_{0};
    std::stop_source failed_;
};

// Returns the percentile `part` (0.5, 0.99, 1) of the values. Returns zero if `all` is empty. Sorts `all`.
[[nodiscard]] boottime_clock::duration percentile(std::vector<boottime_clock::duration>& all,
                                                  double part);

}  // namespace turnstile::cli
