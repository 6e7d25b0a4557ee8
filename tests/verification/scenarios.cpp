// SPDX-License-Identifier: Apache-2.0
#include "verification/scenarios.hpp"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t k_million = 1'000'000;
// seeds for independent random numbers
constexpr std::uint64_t k_later_faults = 0x9e3779b97f4a7c15;
constexpr std::uint64_t k_composites = 0xd1b54a32d192ed03;
constexpr std::uint64_t k_delays = 0x2545f4914f6cdd1d;
constexpr std::uint64_t k_low_water_marks = 0x9fb21c651e98df25;
constexpr std::uint64_t k_crowds = 0x94d049bb133111eb;
constexpr std::uint64_t k_in_line = 0xd6e8feb86659fd93;
constexpr std::uint64_t k_unheard = 0xa0761d6478bd642f;
constexpr std::uint64_t k_packets = 0xe7037ed1a0b428db;
constexpr std::uint64_t k_slow_expiry = 0x8ebc6af09c88c6e3;
constexpr std::uint64_t k_sharing = 0xc2b2ae3d27d4eb4f;
constexpr std::uint64_t k_limits = 0x1d8e4e27c47d124f;
constexpr std::uint64_t k_refusals = 0x589965cc75374cc3;
constexpr std::uint64_t k_placement = 0x8cb92ba72f3d8dd7;
constexpr std::uint64_t k_windows = 0x3c79ac492ba7b653;
constexpr std::uint64_t k_silences = 0x589bd1f4a9cc75d3;
constexpr std::uint64_t k_quiet_locks = 0xe220a8397b1dcdaf;
constexpr std::uint64_t k_batches = 0x94d049bb133111eb;
constexpr double k_impatient = 0.25;
constexpr double k_shares = 0.2;
constexpr double k_placed = 0.08;

timing draw_timing(dice& chance) {
    timing t;
    t.tick = chance.pick(std::vector<core::duration>{200ms, 500ms, 1s});
    t.sync_limit = static_cast<int>(chance.from_to(2, 5));
    t.client_latency = chance.pick(std::vector<core::duration>{1ms, 5ms, 20ms});
    t.server_latency = chance.pick(std::vector<core::duration>{500us, 2ms, 5ms});
    t.slow_latency = chance.pick(std::vector<core::duration>{50ms, 300ms, 1s});
    t.disk_latency = chance.pick(std::vector<core::duration>{200us, 5ms, 400ms});
    t.timer_lateness = chance.pick(std::vector<core::duration>{0ms, 1ms, 4ms});
    return t;
}

// Draws the relay bound that clients assume: the longest time until the leader learns of a message to a follower. Also
// draws the longest stall of a server, so that no stall exceeds the relay bound.
core::lease_rule draw_rule(dice& chance, timing& t) {
    core::lease_rule rule;
    rule.clock_drift = chance.pick(std::vector<double>{0.0001, 0.001, 0.01, 0.05, 0.1});
    // A follower that stalls for longer than this time leaves its leader.
    const auto longest = t.tick * t.sync_limit;
    rule.relay_bound_assumed = chance.chance(0.7);
    if (rule.relay_bound_assumed) {
        const auto assumed = chance.between(t.tick / 2, longest);
        rule.relay_bound = assumed + t.tick / 2;
        t.longest_stall = assumed - 4 * t.server_latency;
    } else {
        rule.relay_bound = t.tick * (t.sync_limit + 1);
        t.longest_stall = longest - 4 * t.server_latency;
    }
    return rule;
}

// Draws session timeouts that suffice only at the leader, and clients that move to the leader.
void draw_placement(dice& chance, scenario& s) {
    s.servers = 3;
    s.place = core::placement::automatic;
    s.roles_known = chance.chance(0.9);
    const auto drawn = dice::part(s.rule.relay_bound, chance.between(0.3, 2.4));
    s.time.session_timeout = std::max<core::duration>(drawn, 2 * s.time.tick + 1s);
}

void draw_clients(dice& chance, scenario& s) {
    const auto count = chance.from_to(2, 5);
    const auto most = static_cast<std::int64_t>(s.rule.clock_drift * k_million);
    for (std::uint64_t i = 0; i != count; ++i) {
        client_plan plan;
        plan.clock_offset = chance.up_to(100'000s);
        const auto extreme =
            chance.below(4);  // 0: slowest clock, 1: fastest clock, 2 and 3: any rate
        plan.clock_parts_per_million = extreme == 0 ? -most
                                       : extreme == 1
                                           ? most
                                           : static_cast<std::int64_t>(chance.from_to(
                                                 0, static_cast<std::uint64_t>(2 * most))) -
                                                 most;
        plan.workers = chance.from_to(1, 3);
        plan.enters_again = chance.chance(0.7);
        s.clients.push_back(plan);
    }
}

void draw_faults(dice& chance, scenario& s) {
    const auto timeout = s.time.session_timeout;
    // Mean time between two faults of each kind, in session timeouts. The seed multiplies each value by a factor from
    // 0.2 to 1.5. Crashes and closes are rare, because each removes a client.
    const std::array<double, 12> often{1.0,   // stall
                                       2.0,   // follower_partition
                                       4.0,   // leader_change
                                       4.0,   // server_restart
                                       1.0,   // client_partition
                                       1.0,   // client_pause
                                       4.0,   // client_crash
                                       6.0,   // client_close
                                       0.5,   // hand_delete
                                       1.0,   // hand_set
                                       6.0,   // hand_close
                                       1.0};  // reap
    for (std::size_t i = 0; i != often.size(); ++i)
        if (chance.chance(0.5))
            s.every[i] = dice::part(timeout, often[i] * chance.between(0.2, 1.5));
    if (chance.chance(0.7)) s.cut = chance.pick(std::vector<double>{0.003, 0.02, 0.08});
    if (chance.chance(0.5)) s.slow = chance.pick(std::vector<double>{0.01, 0.1});
    s.longest_hold = timeout * 5 / 2;
    s.faults_last = dice::part(timeout, chance.between(1.5, 5));
    if (chance.chance(0.7)) {
        s.ambush = chance.pick(std::vector<double>{0.02, 0.1});
        s.long_holds = 0.8;
        s.longest_hold = 5 * timeout;
        s.every[static_cast<std::size_t>(fault::follower_partition)] =
            dice::part(timeout, chance.between(0.5, 1.5));
        s.faults_last *= 2;
        s.rounds *= 2;
    }
    s.time.reattach = chance.pick(std::vector<core::duration>{10ms, 200ms, timeout / 2});
    s.settle = timeout * 60;
}

void draw_recipes(dice& chance, scenario& s) {
    const auto timeout = s.time.session_timeout;
    if (chance.chance(0.3)) s.every[static_cast<std::size_t>(fault::take_away)] = 2 * timeout;
    if (chance.chance(0.2)) s.max_hold = timeout;
    if (!chance.chance(0.5)) return;
    const auto which = chance.below(3);
    if (which != 0) s.read_write = "/locks/rw";
    if (which != 1) {
        s.semaphore = "/locks/sem";
        s.permits = static_cast<std::int32_t>(chance.from_to(1, 4));
        if (chance.chance(0.5)) s.every[static_cast<std::size_t>(fault::resize)] = timeout;
    }
    s.other_recipes = chance.pick(std::vector<double>{0.5, 0.9, 1});
}

void draw_delay(dice& chance, scenario& s) {
    if (!chance.chance(0.2)) return;
    s.lock_delay = dice::part(s.time.session_timeout, chance.between(0.1, 1.5));
    if (!chance.chance(0.5)) return;
    s.long_holds = std::max(s.long_holds, 0.5);  // so that some holders crash
    s.every[static_cast<std::size_t>(fault::client_crash)] = s.time.session_timeout;
}

// Makes long queues of few clients. Some of the clients do not use low-water marks (numbers in a folder's data: each
// contender up to this number is gone), and always list the folder.
void draw_low_water_marks(dice& chance, scenario& s) {
    if (!chance.chance(0.3)) return;
    s.long_queue = static_cast<std::uint32_t>(chance.from_to(2, 4));
    s.folders.resize(1);
    s.first_sequence = 0;
    s.other_recipes = 0;
    s.once = std::min(s.once, 0.1);
    s.with_deadline = std::min(s.with_deadline, 0.3);
    s.cancelled = std::min(s.cancelled, 0.2);
    s.rounds += 2;
    for (auto& client : s.clients) {
        client.workers += chance.from_to(1, 4);
        client.knows_low_water_marks = chance.chance(0.8);
    }
}

// Makes many contenders give up at once, so that a single batch removes their znodes. In some histories an operator
// deletes many of these znodes at the same time.
void draw_crowds(dice& chance, scenario& s) {
    if (!chance.chance(0.2)) return;
    const auto timeout = s.time.session_timeout;
    s.removals.under_way = chance.from_to(1, 2);
    if (chance.chance(0.5)) s.removals.together = chance.from_to(2, 3);
    if (chance.chance(0.5)) s.swept = 0.5;
    if (chance.chance(0.3))
        s.folders = {"/locks/a", "/locks/b", "/locks/c", "/locks/d", "/locks/e"};
    s.every[static_cast<std::size_t>(fault::all_give_up)] =
        dice::part(timeout, chance.between(0.2, 1));
    if (chance.chance(0.5))
        s.every[static_cast<std::size_t>(fault::hand_delete)] = dice::part(timeout, 0.3);
    s.once = std::min(s.once, 0.1);
    s.with_deadline = std::min(s.with_deadline, 0.3);
    s.cancelled = std::min(s.cancelled, 0.2);
    s.rounds += 2;
    for (auto& client : s.clients) client.workers += chance.from_to(2, 4);
}

// In some histories clients take several locks at once, or a majority of three locks.
void draw_composites(dice& chance, scenario& s) {
    if (!chance.chance(0.25)) return;
    const auto takes = chance.chance(0.5) ? client_plan::taking::all : client_plan::taking::most;
    if (takes == client_plan::taking::all) s.folders = {"/locks/a", "/locks/b", "/locks/c"};
    s.ensembles = {"/east/q", "/north/q", "/west/q"};
    for (auto& client : s.clients)
        if (chance.chance(0.8)) client.takes = takes;
}

// An operator removes permissions, or asks holders to release.
void draw_operators(dice& chance, scenario& s) {
    if (chance.chance(0.15)) s.unheard = chance.pick(std::vector<double>{0.1, 0.5});
    auto& asks = s.every[static_cast<std::size_t>(fault::ask_to_go)];
    if (chance.chance(0.15)) asks = s.time.session_timeout / 2;
}

// Gives semaphores many waiters and sometimes lowers the limit. No operator changes the folder, so that the simulation
// can check the promise G3 (a deletion wakes at most one session).
void shrink_semaphore(scenario& s) {
    for (const auto by_hand : {fault::hand_delete, fault::hand_set, fault::hand_close,
                               fault::take_away, fault::all_give_up})
        s.every[static_cast<std::size_t>(by_hand)] = {};
    s.every[static_cast<std::size_t>(fault::resize)] = 2 * s.time.session_timeout;
    s.watches = {};
    s.rounds += 2;
}

// Makes servers refuse large packets of watches. In a few histories, the limit is so small that any client may exceed
// it. In the other histories, only a client that has more watches than its settings allow exceeds the limit.
void draw_packets(dice& chance, scenario& s) {
    constexpr std::size_t k_path = 80;  // more than the longest path with its length field
    if (chance.chance(0.05)) {
        s.most_packet = chance.pick(std::vector<std::size_t>{20, k_path + 20, 3 * k_path});
        s.packets_fit = false;
        s.cut = std::max(s.cut, 0.02);
        return;
    }
    if (s.semaphore.empty() || !chance.chance(0.3)) return;
    s.watches.permits = chance.from_to(0, 2);
    s.permits = static_cast<std::int32_t>(chance.from_to(5, 8));
    s.every[static_cast<std::size_t>(fault::resize)] = {};
    s.other_recipes = 1;
    s.read_write.clear();
    s.once = 0;
    s.cut = std::max(s.cut, 0.02);
    s.rounds += 2;
    s.clients.resize(std::max<std::size_t>(s.clients.size(), 8), s.clients.front());
    for (auto& client : s.clients) client.workers = 1;
    if (chance.chance(0.5)) return shrink_semaphore(s);
    // The packet has one watch on the predecessor (or `permits` watches on contenders ahead), one watch on the
    // contender's own znode, and two watches on the folder.
    s.most_packet = (s.watches.permits + 4) * k_path;
}

// Allows the client so few requests in progress that a contender's request waits for other contenders' requests.
void draw_window(dice&& chance, scenario& s) {
    if (!chance.chance(0.3)) return;
    s.window.first = chance.from_to(1, 4);
    s.window.most = s.window.first + chance.below(4);
}

// Allows few requests in progress, so that requests to create or remove contenders wait, and several then share a
// transaction.
void draw_batches(dice&& chance, scenario& s, bool plain) {
    if (!chance.chance(0.5)) return;
    s.creations.under_way = chance.from_to(1, 2);
    s.creations.together = chance.pick(std::vector<std::size_t>{2, 3, core::k_most_creations});
    s.removals.awaited_under_way = chance.from_to(1, 2);
    s.roles_known = true;
    if (!plain || s.long_queue != core::k_long_queue || !chance.chance(0.7)) return;
    s.folders = {"/locks/a", "/locks/b", "/locks/c", "/locks/d"};
    s.first_sequence = 0;
    for (auto& client : s.clients) client.workers += chance.from_to(2, 4);
}

// Two clients take one lock often, mostly at different times, and its folder is deleted and created again. So the
// sequence number of a new contender sometimes proves that no contender is ahead.
void draw_quiet_lock(dice&& chance, scenario& s) {
    if (!chance.chance(0.2)) return;
    const auto timeout = s.time.session_timeout;
    s.roles_known = true;
    s.folders.resize(1);
    s.clients.resize(2);
    for (auto& client : s.clients) client.workers = chance.chance(0.8) ? 1 : 2;
    s.rounds = chance.from_to(6, 16);
    s.longest_rest = dice::part(timeout, chance.pick(std::vector<double>{0.02, 0.1, 0.5}));
    s.long_holds = 0;
    s.other_recipes = 0;
    s.every[static_cast<std::size_t>(fault::remake)] =
        dice::part(timeout, chance.between(0.1, 1.0));
}

// Draws a server's limit on connections, and clocks that stop. A stopped clock breaks an assumption of leases, so the
// simulation excuses the violations that follow from it. It can recognize these violations only if each hold has one
// lock (invariants::judge_holds).
void draw_limits(dice& chance, scenario& s) {
    const auto timeout = s.time.session_timeout;
    const auto sometimes = [&](dice& some, fault which, double often) {
        if (some.chance(0.1))
            s.every[static_cast<std::size_t>(which)] =
                dice::part(timeout, often * some.between(0.3, 1.5));
    };
    sometimes(chance, fault::connection_limit, 2);
    const bool plain = s.ensembles.empty() &&
                       std::all_of(s.clients.begin(), s.clients.end(), [](const auto& client) {
                           return client.takes == client_plan::taking::single;
                       });
    if (plain) sometimes(chance, fault::clock_stop, 2);
    dice refusals{s.seed ^ k_refusals};
    sometimes(refusals, fault::throttling, 2);
    if (plain) sometimes(refusals, fault::quota, 3);
    if (plain && s.lock_delay == core::duration{}) sometimes(refusals, fault::wipe, 6);
}

}  // namespace

scenario draw_strict_scenario(std::uint64_t seed) {
    dice chance{seed};
    scenario s;
    s.seed = seed;
    s.servers = chance.chance(0.2) ? 1 : 3;
    s.time = draw_timing(chance);
    s.rule = draw_rule(chance, s.time);
    s.roles_known = chance.chance(0.5);
    // With a much shorter session timeout, a client of a follower could never prove in time that its session continues.
    s.time.session_timeout = dice::part(s.rule.relay_bound, chance.between(2.5, 5)) + 500ms;
    dice placing{seed ^ k_placement};
    if (placing.chance(k_placed)) draw_placement(placing, s);
    // Lets requests take longer than the relay bound: the time within which clients assume that the leader learns of a
    // message to a follower.
    if (chance.chance(0.3)) s.time.slow_latency = s.rule.relay_bound * 3 / 2;
    if (chance.chance(0.2)) s.confirm_every = s.time.session_timeout / 10;

    s.folders = {"/locks/a"};
    if (chance.chance(0.3)) s.folders.emplace_back("/locks/b");
    draw_clients(chance, s);
    s.rounds = chance.from_to(1, 4);
    s.once = chance.pick(std::vector<double>{0, 0.1, 0.5});
    s.with_deadline = chance.pick(std::vector<double>{0, 0.3, 0.8});
    s.cancelled = chance.pick(std::vector<double>{0, 0.2, 0.5});
    s.long_holds = chance.pick(std::vector<double>{0, 0.2, 0.6});
    s.folders_exist = chance.chance(0.5);
    s.foreign_children = s.folders_exist && chance.chance(0.2);
    if (s.folders_exist && chance.chance(0.25)) {
        s.first_sequence =
            std::numeric_limits<std::int32_t>::max() - static_cast<std::int32_t>(chance.below(8));
    }
    draw_faults(chance, s);
    dice later{seed ^ k_later_faults};
    if (later.chance(0.25)) s.held_up = later.pick(std::vector<double>{0.05, 0.3});
    draw_recipes(later, s);
    dice composites{seed ^ k_composites};
    draw_composites(composites, s);
    dice delays{seed ^ k_delays};
    if (s.ensembles.empty()) draw_delay(delays, s);
    dice low_water{seed ^ k_low_water_marks};
    if (s.ensembles.empty()) draw_low_water_marks(low_water, s);
    dice crowds{seed ^ k_crowds};
    if (s.ensembles.empty() && s.long_queue == core::k_long_queue) draw_crowds(crowds, s);
    dice in_line{seed ^ k_in_line};
    if (in_line.chance(0.2)) s.watched_in_line = in_line.from_to(0, 1);
    dice operators{seed ^ k_unheard};
    draw_operators(operators, s);
    dice packets{seed ^ k_packets};
    if (s.ensembles.empty()) draw_packets(packets, s);
    draw_window(dice{seed ^ k_windows}, s);
    dice expiry{seed ^ k_slow_expiry};
    if (expiry.chance(0.5)) s.slow_expiry = expiry.pick(std::vector<double>{0.3, 1});
    if (dice{seed ^ k_silences}.chance(k_impatient))
        s.connection_timeout = s.time.session_timeout / 8;
    const bool plain = s.ensembles.empty() && s.most_packet == scenario{}.most_packet;
    draw_batches(dice{seed ^ k_batches}, s, plain);
    if (plain) draw_quiet_lock(dice{seed ^ k_quiet_locks}, s);
    return s;
}

scenario draw_scenario(std::uint64_t seed) {
    auto s = draw_strict_scenario(seed);
    dice sharing{seed ^ k_sharing};
    // The size limit for a packet of watches is computed for one contender of each client. A retained lock would add a
    // contender.
    const bool bounded = s.packets_fit && s.most_packet != scenario{}.most_packet;
    const bool strict = !s.ensembles.empty() || s.lock_delay > core::duration{} || bounded;
    if (sharing.chance(k_shares) && !strict) draw_sharing(sharing, s);
    dice limits{seed ^ k_limits};
    draw_limits(limits, s);
    return s;
}

std::string describe(const scenario& s) {
    const auto seconds = [](core::duration d) { return std::chrono::duration<double>{d}.count(); };
    std::string text = fmt::format(
        "seed {}: {} servers, tick {:.3f} s, sync limit {}, session timeout {:.3f} s, relay bound "
        "{:.3f} s, stalls up to {:.3f} s, drift {}, {} clients, roles {}, cut {}, slow {}, faults "
        "for {:.1f} s, every",
        s.seed, s.servers, seconds(s.time.tick), s.time.sync_limit, seconds(s.time.session_timeout),
        seconds(s.rule.relay_bound), seconds(s.time.longest_stall), s.rule.clock_drift,
        s.clients.size(), s.roles_known ? "known" : "unknown", s.cut, s.slow,
        seconds(s.faults_last));
    for (const auto mean : s.every) text += fmt::format(" {:.1f}", seconds(mean));
    return text;
}

}  // namespace turnstile::simulation
