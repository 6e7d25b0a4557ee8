// SPDX-License-Identifier: Apache-2.0
// Draws scenarios on a single Redis or SQL server, with the work and the clients of an ensemble's scenarios, and with
// faults of one server.
#include <algorithm>
#include <chrono>
#include <string>

#include "verification/scenarios.hpp"

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;
using remainder = single_server_plan::remainder;

constexpr std::uint64_t k_single = 0xbf58476d1ce4e5b9;
constexpr std::uint64_t k_older_tables = 0x94d049bb133111eb;
constexpr std::uint64_t k_bursts = 0x6a09e667f3bcc909;

core::duration& every(scenario& s, fault which) {
    return s.every[static_cast<std::size_t>(which)];
}

// Removes the faults of ZooKeeper and of ensembles.
void leave_the_ensemble(scenario& s) {
    s.servers = 1;
    s.place = core::placement::anywhere;
    s.roles_known = true;
    s.held_up = s.slow_expiry = s.ambush = s.unheard = 0;
    s.most_packet = scenario{}.most_packet;
    s.packets_fit = true;
    for (const auto kind : {fault::stall, fault::follower_partition, fault::leader_change,
                            fault::server_restart, fault::wipe})
        every(s, kind) = {};
    if (s.kind == server_kind::redis) return;
    every(s, fault::throttling) = every(s, fault::quota) = {};
}

// The rates of a client's clock and of the server's clock must differ by less than the drift that the lease's rule
// allows.
void draw_clocks(scenario& s) {
    for (auto& client : s.clients) client.clock_parts_per_million /= 2;
    const bool counts_by_it = s.lock_delay > core::duration{};
    s.single.most_slew = counts_by_it ? 0 : static_cast<std::int64_t>(s.rule.clock_drift / 2 * 1e6);
}

// Lets each client take one lock at a time. Otherwise the simulation could not recognize violations that the server's
// faults excuse.
void keep_to_plain_locks(scenario& s) {
    s.ensembles.clear();
    s.lock_delay = {};
    for (auto& client : s.clients)
        if (client.takes != client_plan::taking::shared) client.takes = client_plan::taking::single;
    every(s, fault::clock_stop) = {};
}

void draw_remainder(dice& chance, scenario& s) {
    if (s.kind != server_kind::redis || chance.chance(0.5)) return;
    auto& single = s.single;
    keep_to_plain_locks(s);
    switch (chance.below(4)) {
        case 0: single.leaves = remainder::none; return;
        case 1:
            single.leaves = remainder::older;  // like Redis with the setting "appendfsync everysec"
            single.unsafe = 2s;
            return;
        default:
            single.leaves = remainder::older;
            single.replicated = true;
            single.unsafe =
                chance.pick(std::vector<core::duration>{50ms, 500ms, s.time.session_timeout / 2});
    }
}

// The newest data may be lost: the database answers before it writes to the disk, or a replica that lags replaces the
// database.
void draw_older_tables(dice&& chance, scenario& s) {
    if (s.kind != server_kind::sql || chance.chance(0.6)) return;
    keep_to_plain_locks(s);
    auto& single = s.single;
    single.leaves = remainder::older;
    single.replicated = chance.chance(0.4);
    single.unsafe = chance.pick(std::vector<core::duration>{50ms, 1s, s.time.session_timeout / 2});
}

// Sets the server's clock in some histories. Histories with jobs, rates and lock delays are excluded, because they use
// this clock.
void draw_steps(dice& chance, scenario& s) {
    const bool counts =
        s.work == work_kind::jobs || s.work == work_kind::rates || s.lock_delay > core::duration{};
    if (counts || s.single.leaves != remainder::all || !chance.chance(0.2)) return;
    keep_to_plain_locks(s);
    every(s, fault::server_clock_step) = s.time.session_timeout * 3 / 2;
}

void draw_single_faults(dice& chance, scenario& s) {
    const auto timeout = s.time.session_timeout;
    const auto sometimes = [&](fault which, double probability, double often) {
        if (chance.chance(probability))
            every(s, which) = dice::part(timeout, often * chance.between(0.3, 1.5));
    };
    sometimes(fault::stall, 0.4, 2);
    sometimes(fault::server_restart, s.single.leaves == remainder::all ? 0.5 : 0.9, 2);
    if (s.single.replicated) sometimes(fault::leader_change, 0.9, 2);
    sometimes(fault::server_slew, 0.5, 1);
    sometimes(fault::server_refuses, 0.25, 3);
    auto& single = s.single;
    if (chance.chance(0.3)) single.lost_bells = chance.pick(std::vector<double>{0.1, 0.5, 1});
    if (chance.chance(0.3)) single.late_bells = chance.pick(std::vector<double>{0.1, 0.5});
    if (chance.chance(0.3)) s.held_up = chance.pick(std::vector<double>{0.005, 0.03});
    if (s.kind == server_kind::sql && chance.chance(0.5))
        single.retried = chance.pick(std::vector<double>{0.02, 0.2});
    if (s.kind == server_kind::sql && chance.chance(0.7)) single.together = chance.from_to(2, 6);
}

// A client requests many locks at once from a distant database. If it sent all of these requests one by one, they would
// take longer than the session timeout.
void draw_burst(dice&& chance, scenario& s) {
    constexpr std::size_t k_locks = 48;
    if (s.kind != server_kind::sql || s.work != work_kind::locks || !chance.chance(0.1)) return;
    keep_to_plain_locks(s);
    s.every = {};
    s.cut = s.slow = s.held_up = s.other_recipes = s.once = s.with_deadline = s.cancelled = 0;
    s.max_hold = {};
    s.window = {};
    s.single = {};
    s.single.together = chance.from_to(1, 2);
    s.time.client_latency = s.time.session_timeout / 24;
    s.time.slow_latency = s.time.server_latency = s.time.disk_latency = 1ms;
    s.folders.clear();
    for (std::size_t i = 0; i != k_locks; ++i)
        s.folders.push_back("/locks/burst-" + std::to_string(i));
    s.folders_exist = true;
    s.clients.resize(1);
    s.clients.front().workers = k_locks;
    s.clients.front().takes = client_plan::taking::single;
    s.rounds = 2;
    s.long_holds = 0.5;
    s.longest_hold = 3 * s.time.session_timeout;
    s.confirm_every = {};
}

}  // namespace

turnstile::promises promised_by(server_kind servers, const single_server_plan& plan) {
    const bool redis = servers == server_kind::redis;
    const bool keeps = plan.leaves == remainder::all;
    turnstile::promises all;
    all.exclusion = keeps ? exclusion_promise::leased : exclusion_promise::best_effort;
    all.order = order_promise::arrival;
    all.waiting = waiting_promise::notified;
    all.failover =
        redis && plan.replicated ? failover_promise::loses_writes : failover_promise::none;
    all.loss = keeps ? loss_promise::told : loss_promise::none;
    // The modelled server that loses data resembles MariaDB, which declares `grows_across_lost_data`.
    all.token = redis || !keeps ? token_promise::grows_across_lost_data : token_promise::grows;
    all.writes = write_promise::guarded;
    all.crash = crash_promise::session_timeout;
    all.scope = scope_promise::server;
    return all;
}

scenario draw_scenario(std::uint64_t seed, work_kind work, server_kind servers) {
    auto s = draw_scenario(seed, work);
    s.kind = servers;
    if (servers == server_kind::ensemble) return s;
    dice chance{seed ^ k_single};
    leave_the_ensemble(s);
    draw_remainder(chance, s);
    draw_older_tables(dice{seed ^ k_older_tables}, s);
    draw_steps(chance, s);
    draw_clocks(s);
    draw_single_faults(chance, s);
    draw_burst(dice{seed ^ k_bursts}, s);
    s.single.promised = promised_by(servers, s.single);
    return s;
}

std::string_view to_string(server_kind servers) noexcept {
    switch (servers) {
        case server_kind::ensemble: return "zookeeper";
        case server_kind::redis: return "redis";
        case server_kind::sql: return "sql";
    }
    return {};
}

}  // namespace turnstile::simulation
