// SPDX-License-Identifier: Apache-2.0
// simulation: simulates an ensemble and its clients under virtual time, from a seed. The test makes the clients' calls.
//
// Use it to test what a service does with its locks: which client leads, what the client writes under which token, and
// what happens if the lock is lost at the worst moment. A test takes microseconds, needs no server and no thread, and
// gives the same history each time. The clients run the core of the real library. The servers are a model of ZooKeeper
// 3.8: followers that lag behind the leader, session timeouts in ticks, watches, elections.
//
//     simulation run{{.seed = 42, .servers = 3}};
//     const auto ann = run.add_client();
//     const auto hold = run.acquire(ann, "/locks/orders", {.on_lost = [&](auto&) { stop(); }});
//     run.after(3s, [&] { run.pause(ann, 30s); });
//     run.run_for(1min);
//     EXPECT_FALSE(run.valid(hold));
//     run.settle();                      // all calls have ended, and no znode is left
//
// All handlers run inside run_for(), run_until() and settle(), one after the other. A handler does not run while its
// client is paused, nor after its client has crashed. Handlers may call all functions except run_for(), run_until() and
// settle(). The same seed and the same calls give the same history, event for event; then fingerprint() returns the
// same value.
//
// Thread safety: one thread at a time may use an object. Several objects are independent.
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

// Decides whether a run keeps the list of its events, see simulation::story().
enum class story_policy { discard, keep };

// The options of a simulation.
struct simulation_options {
    std::uint64_t seed = 1;   // seed of all random choices: latencies, orders, faults
    std::size_t servers = 1;  // 1 (standalone) or 3
    std::chrono::milliseconds session_timeout{10'000};  // session timeout of all clients
    std::chrono::milliseconds tick{500};                // the tickTime of the servers
    int sync_limit = 5;  // in ticks: how long a follower and the leader may be silent
    // The longest stall of a leader, or of a link between servers (a time in which the leader or the link does
    // nothing). The clients' leases assume the same value. Zero: stalls last as long as sync_limit allows, and the
    // leases use the proven bound for the delay of a follower's report to the leader (the relay bound, lease_settings).
    std::chrono::milliseconds longest_stall{0};
    // The largest error of a client's clock rate, as a fraction. Each client's error is random.
    double clock_drift = 0.001;
    // The fraction of messages that are lost, and the fraction of messages that are slow. Each lost message breaks its
    // connection.
    double lost_messages = 0;
    double slow_messages = 0;
    // Mean time between two faults of each kind: stalls, followers cut off, elections, restarts, clients cut off or
    // paused. Zero: only the faults that the test causes.
    std::chrono::milliseconds faults_every{0};
    story_policy story = story_policy::discard;  // `keep` fills story() and costs time
};

// A client of the simulation.
enum class simulated_client : std::size_t {};

// A call of acquire(), from its start to the release.
struct simulated_hold {
    simulated_client client{};  // client that made the call
    std::uint64_t number = 0;   // number of the call
    friend bool operator==(const simulated_hold&, const simulated_hold&) = default;
};

// Decides whether a call waits (`wait`, like acquire()) or tries once (`once`, like try_acquire()).
enum class simulated_attempt { wait, once };

// The permits of a call for a semaphore. If the path has no semaphore yet, the call creates a semaphore with `limit`
// permits.
struct simulated_permits {
    permit_count wanted{1};  // permits that the call takes
    permit_count limit{1};   // permits of the semaphore
};

// The options of an acquisition.
struct simulated_call {
    // The kind of lock: mutex, or reader, writer or upgradable (shared_mutex). The kinds latch, upgrade and permit are
    // not allowed.
    contender_kind kind = contender_kind::mutex;
    std::optional<simulated_permits> permits{};  // in place of a kind: permits of a semaphore
    std::optional<std::chrono::milliseconds> timeout{};   // empty: without limit
    simulated_attempt attempt = simulated_attempt::wait;  // decides if the call waits in the queue
    session_loss_policy waiters = session_loss_policy::enter_again;  // see client_options
    // Called at the grant.
    std::function<void(fencing_token)> on_granted{};
    // Called in place of on_granted, if the call ends without a grant.
    std::function<void(const error&)> on_failed{};
    // Called after a grant, if the hold ends without a release.
    std::function<void(const error&)> on_lost{};
    // Called when the call has entered the queue, with the number of contenders ahead.
    std::function<void(std::size_t ahead)> on_queued{};
};

// A participant of an election. Its handlers replace the function that a turnstile::leader runs while it leads.
struct simulated_participant {
    simulated_client client{};  // client that takes part
    std::uint64_t number = 0;   // number of the participant
    friend bool operator==(const simulated_participant&, const simulated_participant&) = default;
};

// The options of a participant.
struct simulated_election {
    bool once = false;  // see leader_options
    // Pause from the end of the participant's lead to its next entry into the queue, see leader_options.
    boottime_clock::duration pause = std::chrono::seconds{1};
    // Called when the participant begins to lead. `term` identifies the hold for commit(). The participant leads until
    // it resigns or leaves, the client is closed, or the lead is lost.
    std::function<void(simulated_hold term, fencing_token)> on_lead{};
    // Called when the participant must stop leading. When this function has returned, the participant no longer leads.
    std::function<void()> on_stop{};
};

// A call of job_gate::run().
struct simulated_job {
    job_rules rules{};                             // rules of the gate
    std::string id = "a client";                   // name of the instance, for the record
    std::chrono::milliseconds takes{0};            // duration of the job
    std::function<void(const job_record&)> job{};  // called at the start of the job
    // Called at the end of this call, with the result of the call.
    std::function<void(const result<job_report>&)> done{};
};

// A call of rate_gate::enter(), or of try_enter() if `attempt` is `once`.
struct simulated_entry {
    rate_rule rule{};                                     // rule of the gate
    simulated_attempt attempt = simulated_attempt::wait;  // decides if the call waits for its turn
    // Called at the end of this call, with the result of the call.
    std::function<void(const result<void>&)> done{};
};

// A simulated ensemble and its clients.
class simulation {
public:
    // Makes the ensemble. Throws std::invalid_argument, which names the value and the rule.
    explicit simulation(const simulation_options& options = {});
    ~simulation();
    simulation(const simulation&) = delete;
    simulation& operator=(const simulation&) = delete;

    // Adds a process with one session, which connects when the simulation runs.
    simulated_client add_client();

    // ---- locks; a call takes effect when the simulation runs its client again ----
    // Queues for a lock. Throws std::system_error: `bad_path` as turnstile::mutex does; `bad_option` for a kind that
    // cannot be acquired, or numbers of permits out of range.
    simulated_hold acquire(simulated_client client, std::string_view path,
                           simulated_call call = {});
    // Releases a hold, or ends the wait of a call. Does nothing if the hold or the call has ended.
    void release(simulated_hold hold);
    // Returns whether the hold is valid now by its client's clock, like guard::valid().
    [[nodiscard]] bool valid(simulated_hold hold) const;
    // Returns whether the call still waits for its grant.
    [[nodiscard]] bool waiting(simulated_hold hold) const;

    // ---- commits and reads ----
    // Like guard::async_commit(), with its errors except `too_many`. `further` lists further holds of the same client,
    // as transaction::under() does with guards. None of these holds is released before the servers have answered the
    // commit. Throws std::system_error with the errors of transaction::validate(), or with `bad_option` if `writes`
    // uses transaction::under().
    void commit(simulated_hold hold, const transaction& writes,
                std::function<void(const result<commit_result>&)> done = {},
                const std::vector<simulated_hold>& further = {});
    // Reads the znode at `path`, like read_node().
    void read(simulated_client client, std::string_view path,
              std::function<void(const result<node>&)> done);

    // ---- elections, job gates and rate gates, with handlers in place of threads ----
    // Adds a participant that behaves like `leader`, and starts it. Throws std::system_error(bad_path).
    simulated_participant lead(simulated_client client, std::string_view path,
                               simulated_election election);
    // Makes the participant stop leading, like leader::resign().
    void resign(simulated_participant participant);
    void leave(simulated_participant participant);  // ends the participation
    // Returns whether the participant leads now, by its client's clock.
    [[nodiscard]] bool leads(simulated_participant participant) const;
    // Like job_gate::run() without a timeout. Throws std::system_error: `bad_path`, or `bad_option` if the rules of the
    // job are out of range.
    void run_job(simulated_client client, std::string_view path, simulated_job job);
    // Like rate_gate::enter() without a timeout. Throws std::system_error: `bad_path`, or `bad_option` if the rule of
    // the gate is out of range.
    void enter(simulated_client client, std::string_view path, simulated_entry entry);

    // ---- time ----
    [[nodiscard]] boottime_clock::duration now() const;  // virtual time since the start, exact
    // Runs `task` after the virtual time `pause`.
    void after(boottime_clock::duration pause, std::function<void()> task);
    // Runs `task` in the client after the virtual time `pause`. It does not run while the client is paused, nor after
    // the client has crashed.
    void after(simulated_client client, boottime_clock::duration pause, std::function<void()> task);
    // Runs the simulation for the virtual time `length`. If a handler throws an exception, run_for() and run_until()
    // pass it on.
    void run_for(boottime_clock::duration length);
    // Runs until `reached` returns true, at most for the virtual time `limit`. Returns false if `reached` did not
    // return true.
    bool run_until(const std::function<bool()>& reached, boottime_clock::duration limit);
    // Ends all faults, releases all holds, and runs until every call has ended. Throws std::runtime_error if znodes,
    // watches or requests are left; the message names them. After settle() a test may call only functions that return
    // information.
    void settle();

    // ---- faults ----
    // Breaks the connection of the client, which may connect again at once.
    void break_connection(simulated_client client);
    // Breaks the connection of the client. For the virtual time `length` the client cannot reach a server.
    void cut_off(simulated_client client, boottime_clock::duration length);
    // Stops the client for the virtual time `length`, as SIGSTOP does.
    void pause(simulated_client client, boottime_clock::duration length);
    // Ends the client at once, as SIGKILL does.
    void crash(simulated_client client);
    // Closes the client in order, like client::close().
    void close(simulated_client client);
    void change_leader();     // the leader loses its followers, and the servers elect again
    void restart_server();    // a server restarts, with its data
    void cut_off_follower();  // a follower loses its link to the leader for a while
    void stall_servers();     // stalls the leader or one of its links, at most for longest_stall
    void delete_znode(simulated_hold hold);  // deletes it as an administrator can

    // ---- functions that only return information ----
    // Returns a hash of all events so far. Equal seeds give equal hashes.
    [[nodiscard]] std::uint64_t fingerprint() const;
    // Returns the events, one per line, if story_policy is `keep`.
    [[nodiscard]] std::vector<std::string> story() const;

private:
    class state;
    std::unique_ptr<state> state_;
};

}  // namespace turnstile::testing
