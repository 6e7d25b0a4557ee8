// SPDX-License-Identifier: Apache-2.0
#include "simulation/options.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

#include <fmt/core.h>

#include "base/duration_text.hpp"

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr double k_largest_drift = 0.1;

}  // namespace

void check(std::string_view caller, const testing::simulation_options& o) {
    const auto refuse = [caller](const std::string& problem) {
        throw std::invalid_argument{fmt::format("{}: {}", caller, problem)};
    };
    const auto check_part = [&refuse](const char* name, double value, double limit) {
        if (!(value >= 0 && value < limit))
            refuse(fmt::format("{} {}: must be from 0 to below {}", name, value, limit));
    };
    if (o.servers != 1 && o.servers != 3)
        refuse(fmt::format("servers {}: must be 1 or 3", o.servers));
    if (o.tick <= 0ms)
        refuse(fmt::format("tick {}: must be positive", base::duration_text(o.tick)));
    if (o.session_timeout < 2 * o.tick) {
        refuse(fmt::format("session_timeout {}: must be at least two ticks, {}",
                           base::duration_text(o.session_timeout),
                           base::duration_text(2 * o.tick)));
    }
    if (o.sync_limit < 1) refuse(fmt::format("sync_limit {}: must be at least 1", o.sync_limit));
    if (o.longest_stall < 0ms || o.longest_stall > o.tick * o.sync_limit) {
        refuse(fmt::format("longest_stall {}: must be from 0 to sync_limit * tick, {}",
                           base::duration_text(o.longest_stall),
                           base::duration_text(o.sync_limit * o.tick)));
    }
    if (o.faults_every < 0ms)
        refuse(fmt::format("faults_every {}: must not be negative",
                           base::duration_text(o.faults_every)));
    check_part("clock_drift", o.clock_drift, k_largest_drift);
    check_part("lost_messages", o.lost_messages, 1);
    check_part("slow_messages", o.slow_messages, 1);
}

scenario scenario_of(const testing::simulation_options& o) {
    scenario s;
    s.seed = o.seed;
    s.servers = o.servers;
    s.time.tick = o.tick;
    s.time.sync_limit = o.sync_limit;
    s.time.session_timeout = o.session_timeout;
    s.time.client_latency = 5ms;
    s.time.server_latency = 2ms;
    s.time.slow_latency = 300ms;
    s.time.disk_latency = 5ms;
    s.time.timer_lateness = 1ms;
    s.time.reattach = 200ms;
    s.rule.clock_drift = o.clock_drift;
    s.rule.relay_bound_assumed = o.longest_stall > 0ms;
    const core::duration tick = o.tick;
    const auto stall =
        s.rule.relay_bound_assumed ? core::duration{o.longest_stall} : tick * o.sync_limit;
    s.rule.relay_bound = s.rule.relay_bound_assumed ? stall + tick / 2 : tick * (o.sync_limit + 1);
    s.time.longest_stall = std::max(stall - 4 * s.time.server_latency, core::duration{});
    s.folders_exist = false;
    s.cut = o.lost_messages;
    s.slow = o.slow_messages;
    for (const auto kind : {fault::stall, fault::follower_partition, fault::leader_change,
                            fault::server_restart, fault::client_partition, fault::client_pause})
        s.every[static_cast<std::size_t>(kind)] = o.faults_every;
    s.settle = 60 * core::duration{o.session_timeout};
    return s;
}

}  // namespace turnstile::simulation
