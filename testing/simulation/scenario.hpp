// SPDX-License-Identifier: Apache-2.0
// scenario: what is settled before a history starts: the ensemble and its timing, what the clients are told about
// it, what they will do, and which faults come how often. The project's own tests draw it from the seed
// (verification/scenarios.hpp). Values.
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
    core::duration longest_stall{};   // of the leader, or of one of its links; one at a time
    core::duration client_latency{};  // of a message, at most
    core::duration server_latency{};
    core::duration slow_latency{};    // of the messages that are drawn to be slow
    core::duration disk_latency{};    // of a commit, at most
    core::duration reattach{};        // between two attempts to connect, at most
    core::duration timer_lateness{};  // at most
};

struct client_plan {
    core::duration clock_offset{};
    std::int64_t clock_parts_per_million = 0;
    std::size_t workers = 1;
    bool enters_again = true;           // after the session's end
    bool knows_low_water_marks = true;  // else as another library's contenders, which only list
    // One lock at a time, several at once, a majority of those that stand for ensembles, or one that its
    // threads share.
    enum class taking { single, all, most, shared } takes = taking::single;
    core::duration retain_for{};  // of one that is shared
    std::uint32_t passes = 0;
};

// What the clients' locks are on: an ensemble of ZooKeeper's, or one server of another kind (single_server.hpp).
enum class server_kind { ensemble, redis, sql };
inline constexpr std::array k_server_kinds{server_kind::ensemble, server_kind::redis,
                                           server_kind::sql};

// Of a single server.
struct single_server_plan {
    turnstile::promises promised;  // as the back end declares them of such a server
    // What is left after its end. all: what was answered; older: all but the latest writes; none: nothing.
    enum class remainder { all, older, none } leaves = remainder::all;
    core::duration unsafe{};     // older: what was carried out so lately may be lost
    bool replicated = false;     // another server takes its place, and may lack as much
    std::int64_t most_slew = 0;  // of its clock, in parts per million
    double lost_bells = 0;       // wake-ups that are lost
    double late_bells = 0;       // or slow
    double retried = 0;          // requests that meet another one, are rolled back, and begin again
    std::size_t together = 1;    // SQL: requests in one transaction, at most
};

// What a hunt for counterexamples to the lease's rule changes (lease_hunt.hpp).
struct lease_trial {
    bool judge_leases = false;       // against what the leader counts, at every step of a client
    bool hunting = false;            // the history ends with its faults
    bool judge_guards_only = false;  // two valid guards, and not what leads to them
    bool sync_confirms = false;      // the servers take a client's check for a sync
    bool stops_followers = false;    // stalls strike them too
    bool returns_in_time = false;    // a client that is cut off is back about when its lease ends
    double heard_part = 0;  // guards are valid for this part of the time-out since an answer came
};

// What the clients' threads do with the locks.
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

// What recipes write into, where the clients' work is a recipe's.
inline constexpr const char* k_state_znode = "/state";
inline constexpr const char* k_job_znode = "/job";
inline constexpr const char* k_rate_znode = "/rate";

struct scenario {
    std::uint64_t seed = 0;
    work_kind work = work_kind::locks;
    core::claim work_wants;    // of the others than `locks`
    detail::job_terms job;     // of `jobs`
    detail::rate_record rate;  // of `rates`, before the first entry
    server_kind kind = server_kind::ensemble;
    std::size_t servers = 1;  // 1: standalone, 3
    single_server_plan single;
    timing time;
    core::lease_rule rule;  // that the clients go by
    core::duration confirm_every{};
    core::duration connection_timeout{};  // zero: silent servers are left as the real client does
    bool roles_known = true;
    core::placement place = core::placement::anywhere;
    // Until a server has told its role. Clients that go by it give up before their sessions are over.
    [[nodiscard]] core::duration longest_question() const {
        const auto longest = 2 * time.slow_latency;
        if (place == core::placement::anywhere) return longest;
        return std::min(longest, time.session_timeout / 4);
    }

    std::vector<std::string> folders;
    std::string read_write;              // a folder for readers and writers, or none
    std::string semaphore;               // a folder for permits, or none
    std::int32_t permits = 0;            // of the semaphore, to begin with
    double other_recipes = 0;            // part of the acquisitions that go there
    std::vector<std::string> ensembles;  // the folders that stand for them
    std::vector<client_plan> clients;
    std::size_t rounds = 3;  // acquisitions of each worker, at most
    double once = 0;         // part of the acquisitions that only try
    double with_deadline = 0;
    double cancelled = 0;
    double long_holds = 0;  // part of the holds that go on up to `longest_hold`, beyond a lease
    core::duration longest_hold{};
    core::duration longest_rest{};  // between two acquisitions; zero: a fourth of the time-out
    core::duration lock_delay{};    // of the mutexes; zero: none
    std::uint32_t long_queue = core::k_long_queue;  // from which on they go by the low-water mark
    core::removal_limits removals;
    core::window_limits window;
    double swept = 0;  // part of the times that all give up that much is deleted by hand meanwhile
    std::size_t watched_in_line = core::k_most_watched_in_line;  // of a client's waiters
    core::watch_limits watches;
    std::size_t most_packet = 1024 * 1024;  // the servers' jute.maxbuffer
    bool packets_fit = true;                // or are to be refused, whatever a client does
    core::duration max_hold{};  // the longest limit that a holder sets itself; zero: none does

    bool folders_exist = true;
    bool foreign_children = false;
    std::int32_t first_sequence = 0;

    double cut = 0;          // a message breaks its connection, and is lost
    double slow = 0;         // a message is slow
    double unheard = 0;      // the event of a watch is never sent
    double held_up = 0;      // a create is held up in its server, and its connection breaks
    double slow_expiry = 0;  // the leader takes long to close a session whose time is over
    double ambush = 0;       // a write is answered, and what that shows is put to the test at once
    std::array<core::duration, k_faults> every{};  // mean time between two of a kind; zero: never
    core::duration faults_last{};
    core::duration
        settle{};  // within so long after the faults, or the latest answer, all must be over
    lease_trial trial;
};

}  // namespace turnstile::simulation
