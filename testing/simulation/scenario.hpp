// SPDX-License-Identifier: Apache-2.0
// scenario: the settings of a simulated history: the ensemble and its times, the clients' options and work, and how
// often each fault happens. The project's tests draw a scenario from a seed (verification/scenarios.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/lease/lease.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/znode_texts.hpp"
#include "core/session/batches.hpp"
#include "core/session/session_core_settings.hpp"
#include "recipe/gate/gate_rules.hpp"
#include "simulation/agenda.hpp"
#include "simulation/dice.hpp"
#include "turnstile/promises.hpp"

namespace turnstile::simulation {

struct timing {
    core::duration tick{};
    int sync_limit = 5;
    core::duration session_timeout{};
    // Longest stall of the leader or of a link. Only one stall happens at a time.
    core::duration longest_stall{};
    core::duration client_latency{};  // largest latency of a message
    core::duration server_latency{};
    core::duration slow_latency{};    // latency of slow messages
    core::duration disk_latency{};    // longest time of a commit
    core::duration reattach{};        // longest pause between attempts to connect
    core::duration timer_lateness{};  // largest delay of a timer
};

struct client_plan {
    core::duration clock_offset{};
    std::int64_t clock_parts_per_million = 0;
    std::size_t workers = 1;
    bool enters_again = true;  // true: enters again after its session ends
    // False: the client's contenders are another library's, and always list the folder.
    bool knows_low_water_marks = true;
    // Number of locks that a client takes in one call. `shared`: one lock, which its threads share.
    enum class taking { single, all, most, shared } takes = taking::single;
    core::duration retain_for{};  // only for a shared lock
    std::uint32_t passes = 0;
};

// The servers of the clients' locks: a ZooKeeper ensemble, or a single server of another kind (single_server.hpp).
enum class server_kind { ensemble, redis, sql };
inline constexpr std::array k_server_kinds{server_kind::ensemble, server_kind::redis,
                                           server_kind::sql};

// Settings of a single server.
struct single_server_plan {
    // The promises that the back end declares for a server with these settings.
    turnstile::promises promised;
    // Data that remain after the server's end. `all`: all answered writes. `older`: all writes except the latest.
    // `none`: no data.
    enum class remainder { all, older, none } leaves = remainder::all;
    core::duration unsafe{};     // for `older`: the age from which a write cannot be lost any more
    bool replicated = false;     // true: another server replaces it, and may lack the same writes
    std::int64_t most_slew = 0;  // largest slew of the server's clock, in parts per million
    double lost_bells = 0;       // fraction of the wake-ups that are lost
    double late_bells = 0;       // fraction of the wake-ups that are late
    double retried = 0;          // fraction of the transactions that conflict and restart
    std::size_t together = 1;    // SQL: most requests of one transaction
};

// Settings of a search for simulated histories that refute a lease rule (lease_hunt.hpp).
struct lease_trial {
    // True: at each step the simulator checks that each lease ends before the session's deadline at the leader.
    bool judge_leases = false;
    bool hunting = false;            // the history ends with its faults
    bool judge_guards_only = false;  // judges only whether two guards are valid at once
    bool sync_confirms = false;      // the servers treat a client's check as a sync
    bool stops_followers = false;    // stalls also affect followers
    bool returns_in_time = false;    // a disconnected client returns when its lease ends
    // Guards are valid for this fraction of the timeout after the last answer; 0: the library's own lease rule decides.
    double heard_part = 0;
};

enum class work_kind {
    locks,
    sharing,
    conversions,
    recursion,
    deadlocks,
    commits,
    elections,
    jobs,
    rates
};
inline constexpr std::array k_work_kinds{
    work_kind::locks,     work_kind::sharing,   work_kind::conversions,
    work_kind::recursion, work_kind::deadlocks, work_kind::commits,
    work_kind::elections, work_kind::jobs,      work_kind::rates};

// The znodes that recipes write.
inline constexpr const char* k_state_znode = "/state";
inline constexpr const char* k_job_znode = "/job";
inline constexpr const char* k_rate_znode = "/rate";

struct scenario {
    std::uint64_t seed = 0;
    work_kind work = work_kind::locks;
    core::claim work_wants;    // only for work other than `locks`
    detail::job_terms job;     // only for `jobs`
    detail::rate_record rate;  // only for `rates`: the gate's data before the first entry
    server_kind kind = server_kind::ensemble;
    std::size_t servers = 1;  // 1 (standalone) or 3
    single_server_plan single;
    timing time;
    core::lease_rule rule;  // the clients' rule
    core::duration confirm_every{};
    // Zero: a silent connection ends when the real client would end it.
    core::duration connection_timeout{};
    bool roles_known = true;
    core::placement place = core::placement::anywhere;
    // Longest time to wait for a server's role. A client that needs the role gives up before its session can expire.
    [[nodiscard]] core::duration longest_question() const {
        const auto longest = 2 * time.slow_latency;
        if (place == core::placement::anywhere) return longest;
        return std::min(longest, time.session_timeout / 4);
    }

    std::vector<std::string> folders;
    std::string read_write;              // folder for readers and writers; empty: none
    std::string semaphore;               // folder for permits; empty: none
    std::int32_t permits = 0;            // first limit of the semaphore
    double other_recipes = 0;            // fraction of the calls that use these folders
    std::vector<std::string> ensembles;  // folders that represent ensembles
    std::vector<client_plan> clients;
    std::size_t rounds = 3;  // most calls of a worker
    double once = 0;         // fraction of the calls that only try
    double with_deadline = 0;
    double cancelled = 0;
    // Fraction of the holds that may last up to `longest_hold`, which is longer than a lease.
    double long_holds = 0;
    core::duration longest_hold{};
    core::duration longest_rest{};  // between two calls; zero: a fourth of the timeout
    core::duration lock_delay{};    // lock delay of the mutexes; zero: none
    // If a queue has more contenders than this, they read the low-water mark in the folder's data instead of the list
    // of the folder's children. The mark is a number: all contenders up to the mark are gone.
    std::uint32_t long_queue = core::k_long_queue;
    core::removal_limits removals;
    core::creation_limits creations;
    core::window_limits window;
    // In this fraction of the all_give_up faults (all waiters of a client give up at once), an operator also deletes
    // many znodes.
    double swept = 0;
    // At most this many waiters of a client watch their own znodes.
    std::size_t watched_in_line = core::k_most_watched_in_line;
    core::watch_limits watches;
    std::size_t most_packet = 1024 * 1024;  // the servers' jute.maxbuffer
    bool packets_fit = true;                // false: servers refuse some packets of any client
    core::duration max_hold{};              // longest time limit of a holder; zero: none

    bool folders_exist = true;
    bool foreign_children = false;
    std::int32_t first_sequence = 0;

    double cut = 0;      // fraction of the messages that are lost with their connection
    double slow = 0;     // fraction of the messages that are slow
    double unheard = 0;  // fraction of the watches' events that are never sent
    // Fraction of the requests to create a znode during which the server's thread stops and the connection breaks.
    double held_up = 0;
    double slow_expiry = 0;  // fraction of the expired sessions that the leader closes slowly
    double ambush = 0;       // fraction of the answers to writes that a fault follows at once
    // Mean time between two faults of a kind; zero: never.
    std::array<core::duration, k_faults> every{};
    core::duration faults_last{};
    core::duration
        // All calls must end within this time after the end of the faults, or after the latest answer to a caller.
        settle{};
    lease_trial trial;
};

}  // namespace turnstile::simulation
