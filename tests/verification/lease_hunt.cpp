// SPDX-License-Identifier: Apache-2.0
#include "verification/lease_hunt.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

// Seeds of separate random numbers, so that one setting does not change the random numbers of other settings.
constexpr std::uint64_t k_expiry_dice = 0x8ebc6af09c88c6e3;
constexpr std::uint64_t k_idle = 0x2f6b1f4a5b3c9d17;
constexpr std::int64_t k_parts_per_million = 1'000'000;
// This drift makes the core's lease last twenty-one timeouts. So only the tried rule ends the guards.
constexpr double k_endless = -20;

timing hunt_timing(dice& chance) {
    timing t;
    t.tick = chance.between(200ms, 2s);
    t.sync_limit = static_cast<int>(chance.from_to(2, 8));
    t.client_latency = chance.pick(std::vector<core::duration>{1ms, 5ms, 20ms});
    t.server_latency = chance.pick(std::vector<core::duration>{500us, 2ms, 5ms});
    t.slow_latency = chance.pick(std::vector<core::duration>{50ms, 300ms, 1s});
    t.disk_latency = chance.pick(std::vector<core::duration>{200us, 5ms, 100ms});
    t.timer_lateness = chance.pick(std::vector<core::duration>{0ms, 1ms, 4ms});
    return t;
}

// Draws the longest stall, and the relay bound that clients assume (the longest time until the leader learns of a
// message to a follower). The delay between servers counts as a stall.
void draw_relay_bound(dice& chance, tried_rule rule, scenario& s) {
    auto& t = s.time;
    // A follower that stalls for longer than this time leaves its leader.
    const auto longest = t.tick * t.sync_limit;
    s.rule.relay_bound_assumed = chance.chance(0.7);
    if (rule == tried_rule::confirmed_by_sync) s.rule.relay_bound_assumed = true;
    const auto least = 2 * t.server_latency;
    const auto stall = rule == tried_rule::confirmed_by_sync ? chance.between(least, t.tick / 2)
                       : s.rule.relay_bound_assumed          ? chance.between(least, longest)
                                                             : longest;
    t.longest_stall = stall - t.server_latency - 1us;
    s.rule.relay_bound = s.rule.relay_bound_assumed ? stall + t.tick / 2 : longest + t.tick;
    if (rule == tried_rule::ours_with_small_relay_bound) {
        s.rule.relay_bound_assumed = true;
        s.rule.relay_bound = dice::part(stall + t.tick / 2, chance.between(0.0, 0.9));
    } else if (rule == tried_rule::two_thirds_since_heard ||
               rule == tried_rule::touch_before_write) {
        s.rule.relay_bound = {};
    }
}

// Servers grant timeouts of 2 to 20 ticks. A client of a follower has a lease only for the part of the timeout that
// exceeds the relay bound (the longest time until the leader learns of a message to a follower). So the timeout is at
// least 1.3 times the relay bound.
core::duration draw_timeout(dice& chance, const scenario& s) {
    const auto least = std::max(2 * s.time.tick, dice::part(s.rule.relay_bound, 1.3));
    // A leader that lost its followers still answers syncs for syncLimit ticks. A session with a longer timeout mostly
    // expires only after these answers have ended.
    const auto most = s.trial.sync_confirms ? s.time.sync_limit * s.time.tick : 20 * s.time.tick;
    return chance.between(least, std::max(most, least));
}

void draw_clients(dice& chance, double drift, scenario& s) {
    constexpr int k_clients = 2;
    const auto most = static_cast<std::int64_t>(drift * k_parts_per_million);
    const std::vector<std::int64_t> rates{-most, most, 0};
    for (int i = 0; i != k_clients; ++i) {
        client_plan plan;
        plan.clock_offset = chance.up_to(100'000s);
        plan.clock_parts_per_million = chance.pick(rates);
        s.clients.push_back(plan);
    }
    s.rounds = 2;
    s.long_holds = 0.9;
    s.longest_hold = 4 * s.time.session_timeout;
}

void draw_hunt_faults(dice& chance, scenario& s) {
    const auto timeout = s.time.session_timeout;
    const auto sometimes = [&](fault which, double probability, double often) {
        if (chance.chance(probability))
            s.every[static_cast<std::size_t>(which)] =
                dice::part(timeout, often * chance.between(0.2, 1.5));
    };
    sometimes(fault::stall, 0.6, 1);
    sometimes(fault::follower_partition, 0.4, 2);
    sometimes(fault::leader_change, 0.6, 1.5);
    sometimes(fault::server_restart, 0.2, 3);
    sometimes(fault::client_partition, 0.5, 1.5);
    sometimes(fault::client_pause, 0.4, 1.5);
    s.ambush = chance.between(0.05, 0.5);
    dice expiry{s.seed ^ k_expiry_dice};
    if (expiry.chance(0.5)) s.slow_expiry = expiry.pick(std::vector<double>{0.3, 1});
    if (chance.chance(0.3)) s.cut = chance.pick(std::vector<double>{0.003, 0.02});
    if (chance.chance(0.3)) s.slow = chance.pick(std::vector<double>{0.01, 0.1});
    if (chance.chance(0.3)) {  // requests that take longer than the assumed relay bound
        s.slow = 0.1;
        s.time.slow_latency = s.rule.relay_bound * 3 / 2;
    }
    s.time.reattach = chance.pick(std::vector<core::duration>{10ms, 200ms, timeout / 2});
    s.faults_last = dice::part(timeout, chance.between(2, 4));
    s.settle = timeout;
}

// Makes clients idle for long, so that their leases depend on the answers to a few reads. A client's process then stops
// or is disconnected for about the length of its lease. Meanwhile the client's server forwards nothing to the leader,
// and the leader expires sessions slowly.
void draw_idle(dice& chance, scenario& s) {
    const auto timeout = s.time.session_timeout;
    const auto often = [&](fault which, double mean) {
        s.every[static_cast<std::size_t>(which)] =
            dice::part(timeout, mean * chance.between(0.5, 1.5));
    };
    often(fault::client_pause, 0.7);
    often(fault::stall, 0.3);
    s.every[static_cast<std::size_t>(fault::leader_change)] = {};
    s.every[static_cast<std::size_t>(fault::server_restart)] = {};
    s.longest_rest = 3 * timeout;
    s.slow_expiry = 1;
    s.rounds = 6;
    s.long_holds = 0.3;
    s.faults_last = 12 * timeout;
    if (chance.chance(0.5)) return;
    often(fault::client_partition, 1.5);
    s.trial.returns_in_time = true;
    s.slow = 0.3;
    s.time.slow_latency = timeout / 4;
}

void draw_trial(tried_rule rule, double drift, scenario& s) {
    s.trial.hunting = true;
    s.trial.judge_guards_only = rule != tried_rule::ours;
    s.trial.judge_leases = rule == tried_rule::ours;
    s.trial.stops_followers = true;
    s.rule.clock_drift = drift;
    if (rule == tried_rule::two_thirds_since_heard) {
        s.trial.heard_part = 2.0 / 3 - drift;
        s.rule.clock_drift = k_endless;
    } else if (rule == tried_rule::touch_before_write) {
        s.roles_known = false;
    }
}

}  // namespace

std::string_view to_string(tried_rule rule) noexcept {
    switch (rule) {
        case tried_rule::ours: return "ours";
        case tried_rule::ours_with_small_relay_bound: return "ours_with_small_relay_bound";
        case tried_rule::two_thirds_since_heard: return "two_thirds_since_heard";
        case tried_rule::confirmed_by_sync: return "confirmed_by_sync";
        case tried_rule::touch_before_write: return "touch_before_write";
    }
    return {};
}

std::optional<tried_rule> tried_rule_of(std::string_view name) noexcept {
    const auto found = std::find_if(k_tried_rules.begin(), k_tried_rules.end(),
                                    [name](tried_rule rule) { return to_string(rule) == name; });
    if (found == k_tried_rules.end()) return std::nullopt;
    return *found;
}

scenario draw_hunt(tried_rule rule, std::uint64_t seed) {
    dice chance{seed};
    scenario s;
    s.seed = seed;
    s.servers = chance.chance(0.1) ? 1 : 3;
    s.time = hunt_timing(chance);
    s.roles_known = chance.chance(0.7);
    s.trial.sync_confirms = rule == tried_rule::confirmed_by_sync;
    draw_relay_bound(chance, rule, s);
    s.time.session_timeout = draw_timeout(chance, s);
    if (chance.chance(0.5))
        s.confirm_every = dice::part(s.time.session_timeout, chance.between(0.1, 0.5));
    const auto drift = chance.pick(std::vector<double>{0.0001, 0.001, 0.01, 0.05});
    s.folders = {"/locks/a"};
    draw_clients(chance, drift, s);
    draw_hunt_faults(chance, s);
    draw_trial(rule, drift, s);
    dice idle{seed ^ k_idle};
    if (rule == tried_rule::ours && idle.chance(0.3)) draw_idle(idle, s);
    return s;
}

outcome hunt(tried_rule rule, std::uint64_t seed, const reduction& reduced, trace::detail wanted) {
    return simulate(draw_hunt(rule, seed), reduced, wanted);
}

bool is_counterexample(const outcome& result) {
    return result.broken && result.invariant == "G1";
}

}  // namespace turnstile::simulation
