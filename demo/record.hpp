// SPDX-License-Identifier: Apache-2.0
// record: all that is known of one run, and the holds that follow from it.
//
// The director fills a record while the workers sell; the checks, the table and the timelines only
// read it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "events.hpp"
#include "server_kind.hpp"
#include "stock_file.hpp"

namespace demo {

struct run_settings {
    server_kind servers = server_kind::zookeeper;
    int items = 500;
    int workers = 5;
    std::uint32_t seed = 1;
    std::chrono::milliseconds session_timeout{4'000};
    std::chrono::milliseconds tick{200};
};

struct run_record {
    run_settings settings;
    std::vector<event> events;  // in order of time
    std::vector<sale> sales;    // in the order of the sales file
    int stock_left = 0;
    time_point began{};  // the workers were told to start
    time_point ended{};
    // The servers' clock at `began`.
    std::chrono::system_clock::time_point server_time{};
};

enum class ending { released, killed, lost, open };

// One worker's stay at the head of the queue.
struct hold {
    int worker = 0;
    turnstile::fencing_token token;
    std::int64_t sequence = 0;
    std::uint64_t epoch = 0;
    time_point asked{};
    time_point from{};
    time_point to{};    // until when it had a claim: release, death, or the lease's end
    time_point left{};  // when it really left its critical section; later than `to` if it was lost
    ending how = ending::open;
};

// In order of their grants.
[[nodiscard]] std::vector<hold> holds_of(const run_record& run);

[[nodiscard]] std::optional<event> first_of(const run_record& run, event_kind kind);

// The first event of this kind by the paused worker, from its SIGSTOP on.
[[nodiscard]] std::optional<event> after_pause(const run_record& run, event_kind kind);

// The hold that `worker` had at `at`, or that had ended last by then.
[[nodiscard]] std::optional<hold> hold_at(const run_record& run, int worker, time_point at);

// From a worker's kill (any) or stop to the next grant.
struct hand_over {
    event cause;
    hold next;
    duration took{};
};
[[nodiscard]] std::optional<hand_over> hand_over_after(const run_record& run, event_kind cause);

}  // namespace demo
