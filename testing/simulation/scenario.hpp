// SPDX-License-Identifier: Apache-2.0
// scenario: the settings of a history: the ensemble and its timing, the clients' options, their work, and the frequency
// of each fault. The project's own tests draw a scenario from the seed (verification/scenarios.hpp). Values.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/lease/lease.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/low_water_mark.hpp"
#include "core/session/removal_queue.hpp"
#include "core/session/session_core_settings.hpp"
#include "recipe/gate/job_rule.hpp"
#include "recipe/gate/rate_rule.hpp"
#include "simulation/agenda.hpp"
#include "simulation/dice.hpp"
#include "turnstile/promises.hpp"

namespace turnstile::simulation {

struct timing {
    core::duration tick{};
    int sync_limit = 5;
    core::duration session_timeout{};
    // longest stall of the leader or of a link; stalls happen one at a time
    core::duration longest_stall{};
    core::duration client_latency{};  // largest latency of a message
    core::duration server_latency{};
    core::duration slow_latency{};    // latency of messages that are drawn to be slow
    core::duration disk_latency{};    // largest time of a commit
    core::duration reattach{};        // longest pause between two attempts to connect
    core::duration timer_lateness{};  // largest delay of a timer
};

struct client_plan {
    core::duration clock_offset{};
    std::int64_t clock_parts_per_million = 0;
    std::size_t workers = 1;
    bool enters_again = true;  // true: enters again after the session's end
    // false: another library's contender, which always lists the folder
    bool knows_low_water_marks = true;
    // The number of locks that a client takes in one call; `shared`: a lock that its threads share.
    enum class taking { single, all, most, shared } takes = taking::single;
    core::duration retain_for{};  // only for a shared lock
    std::uint32_t passes = 0;
};

// The kind of servers for the clients' locks: an ensemble of ZooKeeper, or a single server of another kind
// (single_server.hpp).
enum class server_kind { ensemble, redis, sql };
inline constexpr std::array k_server_kinds{server_kind::ensemble, server_kind::redis,
                                           server_kind::sql};

// Settings of a single server.
struct single_server_plan {
    // the promises that the back end declares for a server with these settings
    turnstile::promises promised;
    // The data that remain after the server's end. all: everything that was answered. older: everything but the latest
    // writes. none: nothing.
    enum class remainder { all, older, none } leaves = remainder::all;
    core::duration unsafe{};     // only for `older`: the last span of time whose writes may be lost
    bool replicated = false;     // true: another server replaces it, and may lack the same writes
    std::int64_t most_slew = 0;  // largest slew of the server's clock, in parts per million
    double lost_bells = 0;       // part of the wake-ups that get lost
    double late_bells = 0;       // part of the wake-ups that are late
    double retried = 0;          // part of the transactions that conflict and restart
    std::size_t together = 1;    // SQL: largest number of requests in one transaction
};

// Changes of the rules for a hunt for counterexamples to the lease's rule (lease_hunt.hpp).
struct lease_trial {
    // compares each lease with the leader's deadline, at every step
    bool judge_leases = false;
    bool hunting = false;            // the history ends when its faults end
    bool judge_guards_only = false;  // judges only two valid guards, and no earlier breach
    bool sync_confirms = false;      // the servers treat a client's check as a sync
    bool stops_followers = false;    // stalls also affect followers
    bool returns_in_time = false;    // a client that was cut off returns when its lease ends
    // part of the timeout after the last answer during which guards are valid; 0: the core's rule
    double heard_part = 0;
};

// The kinds of work of the clients' threads.
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

// The znodes that recipes write, if the clients' work is a recipe.
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
    core::lease_rule rule;  // rule that the clients use
    core::duration confirm_every{};
    // zero: a silent connection ends when the real client would end it
    core::duration connection_timeout{};
    bool roles_known = true;
    core::placement place = core::placement::anywhere;
    // Longest time to wait for a server's role. Clients that need the role give up before their session can expire.
    [[nodiscard]] core::duration longest_question() const {
        const auto longest = 2 * time.slow_latency;
        if (place == core::placement::anywhere) return longest;
        return std::min(longest, time.session_timeout / 4);
    }

    std::vector<std::string> folders;
    std::string read_write;              // folder for readers and writers; empty: none
    std::string semaphore;               // folder for permits; empty: none
    std::int32_t permits = 0;            // first limit of the semaphore
    double other_recipes = 0;            // part of the calls that use these folders
    std::vector<std::string> ensembles;  // folders that play ensembles
    std::vector<client_plan> clients;
    std::size_t rounds = 3;  // largest number of calls of a worker
    double once = 0;         // part of the calls that only try
    double with_deadline = 0;
    double cancelled = 0;
    // part of the holds that may last up to `longest_hold`, which exceeds a lease
    double long_holds = 0;
    core::duration longest_hold{};
    core::duration longest_rest{};  // longest rest between two calls; zero: a fourth of the timeout
    core::duration lock_delay{};    // lock delay of the mutexes; zero: none
    // length from which on a queue uses the low-water mark
    std::uint32_t long_queue = core::k_long_queue;
    core::removal_limits removals;
    core::creation_limits creations;
    core::window_limits window;
    // part of the collective give-ups during which many znodes are deleted by hand
    double swept = 0;
    // largest number of a client's waiters that watch their own znodes
    std::size_t watched_in_line = core::k_most_watched_in_line;
    core::watch_limits watches;
    std::size_t most_packet = 1024 * 1024;  // the servers' jute.maxbuffer
    bool packets_fit = true;                // false: servers refuse some packets of any client
    core::duration max_hold{};              // longest time limit of a holder; zero: none

    bool folders_exist = true;
    bool foreign_children = false;
    std::int32_t first_sequence = 0;

    double cut = 0;      // part of the messages that get lost and break their connection
    double slow = 0;     // part of the messages that are slow
    double unheard = 0;  // part of the watches' events that are never sent
    // part of the creates whose server thread stops and whose connection breaks
    double held_up = 0;
    double slow_expiry = 0;  // part of the expired sessions that the leader takes long to close
    double ambush = 0;       // part of the answers to writes that a fault follows at once
    // mean time between two faults of a kind; zero: never
    std::array<core::duration, k_faults> every{};
    core::duration faults_last{};
    core::duration
        // time after the faults, or after the latest answer, within which everything must end
        settle{};
    lease_trial trial;
};

}  // namespace turnstile::simulation
