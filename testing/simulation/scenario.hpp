// SPDX-License-Identifier: Apache-2.0
// scenario: the settings of a history: the ensemble and its timing, the clients' options, their work, and the
// frequency of each fault. The project's own tests draw it from the seed (verification/scenarios.hpp). Values.
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
    core::duration longest_stall{};   // the leader's, or one of its links'; one at a time
    core::duration client_latency{};  // largest latency of a message
    core::duration server_latency{};
    core::duration slow_latency{};    // latency of messages that are drawn to be slow
    core::duration disk_latency{};    // largest time of a commit
    core::duration reattach{};        // longest time between two attempts to connect
    core::duration timer_lateness{};  // largest delay
};

struct client_plan {
    core::duration clock_offset{};
    std::int64_t clock_parts_per_million = 0;
    std::size_t workers = 1;
    bool enters_again = true;           // after the session's end
    bool knows_low_water_marks = true;  // else a foreign contender, which only lists
    // false: a foreign contender, which only lists
    enum class taking { single, all, most, shared } takes = taking::single;
    core::duration retain_for{};  // for a shared lock
    std::uint32_t passes = 0;
};

// The servers of the clients' locks: an ensemble of ZooKeeper's, or a single server of another kind
// (single_server.hpp).
enum class server_kind { ensemble, redis, sql };
inline constexpr std::array k_server_kinds{server_kind::ensemble, server_kind::redis,
                                           server_kind::sql};

// Settings of a single server.
struct single_server_plan {
    turnstile::promises promised;  // promises that the back end declares for such a server
    // The data that remain after its end. all: everything answered; older: without the latest writes; none: nothing.
    enum class remainder { all, older, none } leaves = remainder::all;
    core::duration unsafe{};     // older: writes of this last span may be lost
    bool replicated = false;     // another server replaces it, and may lack as much
    std::int64_t most_slew = 0;  // largest slew of its clock, in parts per million
    double lost_bells = 0;       // part of the wake-ups that are lost
    double late_bells = 0;       // part of the wake-ups that are slow
    double retried = 0;          // part of the requests that conflict and restart
    std::size_t together = 1;    // SQL: most requests in one transaction
};

// Changes for a hunt for counterexamples to the lease's rule (lease_hunt.hpp).
struct lease_trial {
    bool judge_leases = false;       // against the leader's count, at every step of a client
    bool hunting = false;            // the history ends with its faults
    bool judge_guards_only = false;  // two valid guards, and not the earlier breaches
    bool sync_confirms = false;      // the servers treat a client's check as a sync
    bool stops_followers = false;    // stalls also affect followers
    bool returns_in_time = false;    // a cut-off client returns when its lease ends
    double heard_part = 0;  // guards are valid for this part of the timeout since the last answer
};

// The work of the clients' threads.
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

// The znodes into which recipes write, if the clients' work is a recipe.
inline constexpr const char* k_state_znode = "/state";
inline constexpr const char* k_job_znode = "/job";
inline constexpr const char* k_rate_znode = "/rate";

struct scenario {
    std::uint64_t seed = 0;
    work_kind work = work_kind::locks;
    core::claim work_wants;    // for work other than `locks`
    detail::job_terms job;     // for `jobs`
    detail::rate_record rate;  // for `rates`, before the first entry
    server_kind kind = server_kind::ensemble;
    std::size_t servers = 1;  // 1: standalone, 3
    single_server_plan single;
    timing time;
    core::lease_rule rule;  // the clients' rule
    core::duration confirm_every{};
    core::duration connection_timeout{};  // zero: left when the real client leaves
    bool roles_known = true;
    core::placement place = core::placement::anywhere;
    // Longest time to wait for a server's role. Clients that need the role give up before their session can expire.
    [[nodiscard]] core::duration longest_question() const {
        const auto longest = 2 * time.slow_latency;
        if (place == core::placement::anywhere) return longest;
        return std::min(longest, time.session_timeout / 4);
    }

    std::vector<std::string> folders;
    std::string read_write;              // a folder for readers and writers, or none
    std::string semaphore;               // a folder for permits, or none
    std::int32_t permits = 0;            // the semaphore's initial permits
    double other_recipes = 0;            // part of the calls that use these locks
    std::vector<std::string> ensembles;  // folders that represent ensembles
    std::vector<client_plan> clients;
    std::size_t rounds = 3;  // largest number of calls of each worker
    double once = 0;         // part of the calls that only try
    double with_deadline = 0;
    double cancelled = 0;
    double long_holds = 0;  // part of the holds that last up to `longest_hold`, beyond a lease
    core::duration longest_hold{};
    core::duration longest_rest{};  // between two calls; zero: a fourth of the timeout
    core::duration lock_delay{};    // for the mutexes; zero: none
    std::uint32_t long_queue = core::k_long_queue;  // from which on they use the mark
    core::removal_limits removals;
    core::creation_limits creations;
    core::window_limits window;
    double swept = 0;  // part of the collective give-ups during which much is deleted by hand
    std::size_t watched_in_line = core::k_most_watched_in_line;  // most watched waiters of a client
    core::watch_limits watches;
    std::size_t most_packet = 1024 * 1024;  // the servers' jute.maxbuffer
    bool packets_fit = true;                // else servers refuse some, whatever a client does
    core::duration max_hold{};              // longest limit of a holder; zero: none

    bool folders_exist = true;
    bool foreign_children = false;
    std::int32_t first_sequence = 0;

    double cut = 0;          // a message breaks its connection, and is lost
    double slow = 0;         // a message is slow
    double unheard = 0;      // a watch's event is never sent
    double held_up = 0;      // a create is held up in its server, and its connection breaks
    double slow_expiry = 0;  // the leader takes long to close an expired session
    double ambush = 0;       // a fault follows the answer to a write at once
    std::array<core::duration, k_faults> every{};  // mean time between two; zero: never
    core::duration faults_last{};
    core::duration
        settle{};  // after the faults, or the latest answer, everything must end within this time
    lease_trial trial;
};

}  // namespace turnstile::simulation
