// SPDX-License-Identifier: Apache-2.0
// simulation: a whole ensemble and the clients of your own code under virtual time, from a seed.
//
// Purpose: to test what a service does with its locks - which client leads, what is written under which token,
// what happens when the lock is lost at the worst moment - in microseconds, with no server and no
// thread, and the same each time. The clients run the library's own core, the very code that ships; the
// servers are a model of ZooKeeper 3.8: followers that lag, time-outs by ticks, watches, elections.
//
//     simulation run{{.seed = 42, .servers = 3}};
//     const auto ann = run.add_client();
//     const auto hold = run.acquire(ann, "/locks/orders", {.on_lost = [&](auto&) { stop(); }});
//     run.after(3s, [&] { run.pause(ann, 30s); });
//     run.run_for(1min);
//     EXPECT_FALSE(run.valid(hold));
//     run.settle();                      // every call answered, nothing left over
//
// All handlers run inside run_for, run_until and settle, one after the other, in events of their
// client: not while it is paused, never after it crashed. They may call everything but run_for,
// run_until and settle. An equal seed and equal calls give an equal history, event for event: fingerprint()
// tells.
//
// Thread safety: one thread at a time; several objects are independent.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/client_options.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"
#include "turnstile/fencing_token.hpp"
#include "turnstile/job_gate.hpp"
#include "turnstile/leader.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/node.hpp"
#include "turnstile/permit_count.hpp"
#include "turnstile/rate_gate.hpp"
#include "turnstile/result.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile::testing {

enum class story_policy { discard, keep };

struct simulation_options {
    std::uint64_t seed = 1;   // of all that is drawn: latencies, orders, faults
    std::size_t servers = 1;  // 1 (standalone) or 3
    std::chrono::milliseconds session_timeout{10'000};
    std::chrono::milliseconds tick{500};
    int sync_limit = 5;  // in ticks: how long a follower and the leader may be silent
    // The longest stall of a leader or a link between servers, which the clients' leases assume, too.
    // Zero: what sync_limit allows, and the leases rest on the proven relay bound.
    std::chrono::milliseconds longest_stall{0};
    double clock_drift =
        0.001;  // each client's clock is drawn to be off by at most this part of one
    // Parts of one: messages that are lost and break their connection; messages that are slow.
    double lost_messages = 0;
    double slow_messages = 0;
    // Mean time between two faults of each kind: stalls, followers cut off, elections, restarts, clients
    // cut off or paused. Zero: only those that are asked for.
    std::chrono::milliseconds faults_every{0};
    story_policy story = story_policy::discard;  // for story(); costs time
};

enum class simulated_client : std::size_t {};

// One call of `acquire`, from the queue to the release.
struct simulated_hold {
    simulated_client client{};
    std::uint64_t number = 0;
    friend bool operator==(const simulated_hold&, const simulated_hold&) = default;
};

enum class simulated_attempt { wait, once };

// A permit of a semaphore of `limit` permits, which the first call makes.
struct simulated_permits {
    permit_count wanted{1};
    permit_count limit{1};
};

struct simulated_call {
    // mutex; reader, writer or upgradable: of a shared_mutex. Not latch, upgrade or permit.
    contender_kind kind = contender_kind::mutex;
    std::optional<simulated_permits> permits{};  // in place of a kind
    std::optional<std::chrono::milliseconds> timeout{};
    simulated_attempt attempt = simulated_attempt::wait;
    session_loss_policy waiters = session_loss_policy::enter_again;
    std::function<void(fencing_token)> on_granted{};
    std::function<void(const error&)> on_failed{};  // instead: there will be no grant
    std::function<void(const error&)> on_lost{};    // after a grant, if it was not released first
    std::function<void(std::size_t ahead)> on_queued{};
};

// A candidate of an election. What the function of a `leader` would do is in the handlers.
struct simulated_candidate {
    simulated_client client{};
    std::uint64_t number = 0;
    friend bool operator==(const simulated_candidate&, const simulated_candidate&) = default;
};

struct simulated_election {
    bool once = false;  // as leader_options
    boottime_clock::duration pause = std::chrono::seconds{1};
    // Leads from now on; `term` is what it commits under. The term lasts until it is resigned, closed or lost.
    std::function<void(simulated_hold term, fencing_token)> on_lead{};
    // The term's stop token is triggered; when this has returned, the term is over.
    std::function<void()> on_stop{};
};

// One call of job_gate::run().
struct simulated_job {
    job_rules rules{};
    std::string id = "a client";
    std::chrono::milliseconds takes{0};            // how long the job runs
    std::function<void(const job_record&)> job{};  // it begins
    std::function<void(const result<job_report>&)> done{};
};

// One call of rate_gate::enter(); once: of try_enter().
struct simulated_entry {
    rate_rule rule{};
    simulated_attempt attempt = simulated_attempt::wait;
    std::function<void(const result<void>&)> done{};
};

class simulation {
public:
    // Throws std::invalid_argument that names the value and the rule.
    explicit simulation(const simulation_options& options = {});
    ~simulation();
    simulation(const simulation&) = delete;
    simulation& operator=(const simulation&) = delete;

    // A process with one session; it connects when the simulation runs.
    simulated_client add_client();

    // ---- locks; the calls reach the client at its next event ----
    // Throws std::system_error: bad_path as turnstile::mutex does; bad_option: a kind that cannot be asked for, or
    // numbers of permits out of range.
    simulated_hold acquire(simulated_client client, std::string_view path,
                           simulated_call call = {});
    // Releases what is held, gives up what waits; nothing if it is over.
    void release(simulated_hold hold);
    // By the client's own clock, at this instant, as guard::valid().
    [[nodiscard]] bool valid(simulated_hold hold) const;
    [[nodiscard]] bool waiting(simulated_hold hold) const;

    // ---- under a hold ----
    // As guard::async_commit(), with its errors but too_many. Throws std::system_error for what breaks a rule: what
    // transaction::validate() says; bad_option: transaction::under(), which takes guards. In its place are `further`
    // holds of the same client, none of which is given back before the commit is answered.
    void commit(simulated_hold hold, const transaction& writes,
                std::function<void(const result<commit_result>&)> done = {},
                const std::vector<simulated_hold>& further = {});
    // As read_node().
    void read(simulated_client client, std::string_view path,
              std::function<void(const result<node>&)> done);

    // ---- recipes: the rules that ship, with handlers in the place of threads ----
    // As leader; takes part from now on. Throws std::system_error(bad_path).
    simulated_candidate lead(simulated_client client, std::string_view path,
                             simulated_election election);
    void resign(simulated_candidate candidate);
    void leave(simulated_candidate candidate);  // takes part no more
    [[nodiscard]] bool leads(simulated_candidate candidate) const;
    // As job_gate::run() without a time-out. Throws std::system_error: bad_path, bad_option (the rules).
    void run_job(simulated_client client, std::string_view path, simulated_job job);
    // As rate_gate::enter() without a time-out. Throws std::system_error: bad_path, bad_option (the rule).
    void enter(simulated_client client, std::string_view path, simulated_entry entry);

    // ---- time ----
    [[nodiscard]] boottime_clock::duration now() const;  // true time since the start
    void after(boottime_clock::duration pause, std::function<void()> task);
    // The client runs it: not while it is paused, never after its crash.
    void after(simulated_client client, boottime_clock::duration pause, std::function<void()> task);
    // Throw what handlers throw.
    void run_for(boottime_clock::duration length);
    // False if `limit` was reached first.
    bool run_until(const std::function<bool()>& reached, boottime_clock::duration limit);
    // Ends all faults, releases everything, and runs until all is over. Throws std::runtime_error that names what is
    // left, if a znode, a watch or a request is. Ends the history: nothing may be called afterwards but questions.
    void settle();

    // ---- faults ----
    void break_connection(simulated_client client);
    void cut_off(simulated_client client, boottime_clock::duration length);
    void pause(simulated_client client, boottime_clock::duration length);  // as SIGSTOP
    void crash(simulated_client client);
    void close(simulated_client client);
    void change_leader();
    void restart_server();
    void cut_off_follower();
    void stall_servers();  // the leader or one of its links, for at most the longest stall
    void delete_znode(simulated_hold hold);  // by hand, as an administrator can

    // ---- questions ----
    [[nodiscard]] std::uint64_t fingerprint() const;
    // What happened, a line an event, if it was to be kept.
    [[nodiscard]] std::vector<std::string> story() const;

private:
    class state;
    std::unique_ptr<state> state_;
};

}  // namespace turnstile::testing
