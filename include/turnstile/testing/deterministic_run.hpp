// SPDX-License-Identifier: Apache-2.0
// deterministic_run: runs a service's own code, with its threads and the library's, beside simulated servers, under
// virtual time, from a seed.
//
// Use it to test what a service does in rare situations: its leader stops for half a minute, the servers elect a leader
// in the middle of a commit, two threads run in an unexpected order. An hour takes seconds, and is the same each time.
// The service needs no change: it makes its `turnstile::client`s, blocks in lock(), sleeps and starts threads. All
// ZooKeeper connect strings lead to the simulated servers.
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
// How it works. A run is a fork of the calling process, in which one thread at a time runs. The seed chooses the next
// thread at every mutex, condition variable, atomic wait and sleep, and at the start and end of a thread. Time does not
// pass while a thread can run, and then jumps to the next instant for which a thread waits. The processes of the world
// are threads of that one process, so a test can read their state in shared variables. Each process has its own clock.
//
// Limits:
// - Sockets, pipes and files are the system's, and take no virtual time. A thread that blocks in one ends the run after
//   `patience`.
// - An access to an atomic never switches threads, and weak memory orders do not occur. Use ThreadSanitizer for these.
// - Barriers and spin locks of the C library, signals and fork() do not work in a run.
// - A process shares the globals of all others, and finds them unchanged when it is started again.
// - The program must be linked with turnstile::deterministic, which replaces pthread_mutex_lock and similar functions.
//   It cannot be built with a sanitizer.
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

// The test's access to a run. Thread safety: any thread of the run may call any member.
class simulated_world {
public:
    class state;
    // Only the library makes this object; a test receives it from run_deterministically(). `of`: the state of the run.
    explicit simulated_world(state& of) noexcept : state_{of} {}
    simulated_world(const simulated_world&) = delete;
    simulated_world& operator=(const simulated_world&) = delete;

    // Starts a process with this name, which runs `main` in a thread. Threads that `main` starts belong to the process.
    // When `main` returns, the process ends with all its threads. An exception that leaves `main` fails the run.
    simulated_process start(std::string_view name, std::function<void()> main);
    // Returns whether the process has not ended.
    [[nodiscard]] bool runs(simulated_process process) const;
    // Waits until the process's `main` has returned. Returns at once if the process was killed.
    void await(simulated_process process) const;

    // ---- faults ----
    // Stops the process for the virtual time `length`, as SIGSTOP does.
    void pause(simulated_process process, std::chrono::milliseconds length);
    // Ends the process at once, as SIGKILL does.
    void kill(simulated_process process);
    // Breaks the connections of the process. Its present sessions reach no server for the virtual time `length`.
    void cut_off(simulated_process process, std::chrono::milliseconds length);
    void change_leader();     // the leader loses its followers, and the servers elect again
    void restart_server();    // a server restarts, with its data
    void cut_off_follower();  // a follower loses its link to the leader for a while
    void stall_servers();     // the leader or one of its links, for at most the longest stall
    // Deletes the znode at `path` by hand, as an administrator can.
    void delete_znode(std::string_view path);

    // ---- questions ----
    [[nodiscard]] boottime_clock::duration now() const;  // true time since the start
    // Returns the znode as committed at the servers; the path is without a chroot.
    [[nodiscard]] std::optional<node> find(std::string_view path) const;
    // Returns the names of the children of the znode at `path`, sorted.
    [[nodiscard]] std::vector<std::string> children(std::string_view path) const;

private:
    state& state_;
};

// The limits of a run.
struct run_limits {
    // Limit of the virtual time of the run.
    std::chrono::seconds virtual_time = std::chrono::hours{1};
    // Limit of the real time of the run; the machine may be busy.
    std::chrono::seconds patience{60};
    // Called in the run when the test ends; true fails the run. Failures that a test framework counts are counted in
    // the run's process, and lost with it: pass `[] { return ::testing::Test::HasFailure(); }`.
    std::function<bool()> has_failed{};
};

// The result of a run.
struct run_report {
    bool passed = false;                      // true if the test ended and no rule was broken
    std::string failure{};                    // the reason, if it failed
    boottime_clock::duration virtual_time{};  // virtual time that has passed
    std::uint64_t steps = 0;                  // number of scheduling points
    std::uint64_t fingerprint = 0;  // a hash of all decisions; equal for equal seeds, see below
    std::string latest{};           // position of each thread at the end; empty if the run passed
    std::string story{};  // events of the servers, one per line, if story_policy is `keep`

    [[nodiscard]] std::string text() const;  // the whole report, for people
};

// Fails the run with the rule if `good` is false. Outside of a run it throws std::runtime_error.
void require(bool good, std::string_view rule);

// Runs `test`, and all that it starts, until `test` ends. At most 256 threads live at once, and at most 1,023 processes
// are started. Crashes, exceptions and failed calls of require() are in the report. Throws std::invalid_argument, which
// names the value and the rule; std::logic_error if the calling process has more than one thread; std::system_error if
// the system cannot start a process.
//
// Equal seeds give equal runs of one program if its addresses are the same: call `fixed_addresses` for that.
[[nodiscard]] run_report run_deterministically(const simulation_options& options,
                                               const std::function<void(simulated_world&)>& test,
                                               const run_limits& limits = {});

// Starts the program again without address space randomisation, unless it already runs without. Call it first in
// main(), with the arguments of main().
void fixed_addresses(char** arguments);

}  // namespace turnstile::testing
