// SPDX-License-Identifier: Apache-2.0
// deterministic_run: a service's own code, with its threads and the library's, beside simulated servers, under virtual
// time, from a seed.
//
// Purpose: to see what a service does when its leader stops for half a minute, when the servers elect another leader in
// the middle of a commit, when two threads meet in the order that nobody thought of; an hour of it in seconds, and the
// same each time. Nothing in the service is written for it: it makes its `turnstile::client`s, blocks in lock(), sleeps,
// starts threads. All of ZooKeeper's connect strings lead to the simulated servers.
//
//     const auto report = turnstile::testing::run_deterministically(
//         {.seed = 7, .servers = 3, .faults_every = 8s}, [](turnstile::testing::simulated_world& world) {
//             const auto ann = world.start("ann", [] { serve("zk1:2181,zk2:2181/app"); });
//             world.start("bob", [] { serve("zk1:2181,zk2:2181/app"); });
//             std::this_thread::sleep_for(1min);
//             world.pause(ann, 30s);
//             std::this_thread::sleep_for(10min);
//             require(leaders_at_once == 1, "two led at once");
//         });
//     EXPECT_TRUE(report.passed) << report.text();
//
// How it goes: a run is a fork of the calling process. In it one thread at a time goes on, and the seed says which, at
// every mutex, condition, atomic wait, sleep, start and end of a thread. Time stands still while any of them can go on,
// and then jumps to the next instant for which one waits. The processes of the world are threads of that one process, so
// that a test may look into them all through variables that they share; each has a clock of its own.
//
// What it does not do: sockets, pipes and files are the system's own, and take no time; a thread that blocks in one ends
// the run after `patience`. Accesses to atomics are no points at which another thread goes on, and weak memory orders are
// not there: ThreadSanitizer is for these. Barriers and spin locks of the C library, signals and fork() are not for a run.
// A process has the globals of all others, and finds them as they are when it is started again. The program is linked
// with turnstile::deterministic, which stands in for pthread_mutex_lock and the like: not for one that is built with a
// sanitizer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/clock.hpp"
#include "turnstile/node.hpp"
#include "turnstile/testing/simulation.hpp"

namespace turnstile::testing {

// A process of the service, from its start on.
enum class simulated_process : std::size_t {};

// The test's view of a run. Thread safety: all members from any thread of the run.
class simulated_world {
public:
    class state;
    explicit simulated_world(state& of) noexcept : state_{of} {}
    simulated_world(const simulated_world&) = delete;
    simulated_world& operator=(const simulated_world&) = delete;

    // `main` runs in a thread of the process; what threads it starts are of it, too. As it returns, the process ends,
    // with all its threads. An exception that leaves it fails the run.
    simulated_process start(std::string_view name, std::function<void()> main);
    [[nodiscard]] bool runs(simulated_process process) const;
    // Waits until its main has returned; at once if it was killed.
    void await(simulated_process process) const;

    // ---- faults ----
    void pause(simulated_process process, std::chrono::milliseconds length);    // as SIGSTOP
    void kill(simulated_process process);                                       // as SIGKILL
    void cut_off(simulated_process process, std::chrono::milliseconds length);  // from the servers
    void change_leader();
    void restart_server();
    void cut_off_follower();
    void stall_servers();  // the leader or one of its links, for at most the longest stall
    void delete_znode(std::string_view path);  // by hand, as an administrator can

    // ---- questions ----
    [[nodiscard]] boottime_clock::duration now() const;  // true time since the start
    // What is committed at the servers, without a chroot.
    [[nodiscard]] std::optional<node> find(std::string_view path) const;
    [[nodiscard]] std::vector<std::string> children(std::string_view path) const;  // by name

private:
    state& state_;
};

struct run_limits {
    std::chrono::seconds virtual_time = std::chrono::hours{1};
    std::chrono::seconds patience{60};  // real time of the whole run, on a machine that may be busy
    // Asked in the run as the test ends: true fails it. What a test framework counts is counted in the run's process
    // and lost with it: `[] { return ::testing::Test::HasFailure(); }` tells.
    std::function<bool()> has_failed{};
};

struct run_report {
    bool passed = false;
    std::string failure{};  // why not
    boottime_clock::duration virtual_time{};
    std::uint64_t steps = 0;        // scheduling points
    std::uint64_t fingerprint = 0;  // of all that was decided; equal for equal seeds, see below
    std::string latest{};           // where each thread stood at the end; empty if it passed
    std::string story{};            // of the servers, a line an event, if it was to be kept

    [[nodiscard]] std::string text() const;  // the whole report, for people
};

// Fails the run of the calling thread: with std::runtime_error outside of one.
void require(bool good, std::string_view rule);

// Runs `test`, and all that it starts, to the end of `test`: at most 256 threads that live at once, and 1,023 processes. A crash, an exception and a failed `require` are in the
// report. Throws std::invalid_argument that names the value and the rule; std::logic_error if the calling process has
// more than one thread; std::system_error if the system has no process.
//
// Equal seeds give equal runs in one program as long as its addresses are the same: `fixed_addresses` sees to that.
[[nodiscard]] run_report run_deterministically(const simulation_options& options,
                                               const std::function<void(simulated_world&)>& test,
                                               const run_limits& limits = {});

// Starts the program again without address space randomisation, unless it is so already: first thing in main().
void fixed_addresses(char** arguments);

}  // namespace turnstile::testing
