// SPDX-License-Identifier: Apache-2.0
// deterministic_run: runs the code of a service on simulated servers and under virtual time, from a seed. The threads
// of the service and of the library run for real, one at a time.
//
// Use it to test what a service does in rare situations: its leader stops for half a minute, the servers elect a leader
// in the middle of a commit, two threads run in an unexpected order. An hour of virtual time takes seconds, and each
// run of a seed is the same. The service needs no change: it may make objects of `turnstile::client`, block in lock(),
// sleep and start threads. All ZooKeeper connect strings lead to the simulated servers.
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
// thread at every mutex, condition variable, atomic wait and sleep, and at the start and end of a thread. While a
// thread can run, virtual time does not pass. When all threads wait, virtual time jumps to the next instant for which a
// thread waits. The simulated processes of the service are threads of the forked process, so a test can read their
// state in shared variables. Each simulated process has its own clock.
//
// Limits:
// - Sockets, pipes and files are real, and take no virtual time. If a thread blocks in one of them, the run ends after
//   run_limits::patience.
// - An access to an atomic never switches threads, and weak memory orders do not occur. Use ThreadSanitizer for these.
// - Barriers and spin locks of the C library, signals and fork() do not work in a run.
// - All simulated processes share the global variables. These variables keep their values when a test starts a process
//   again.
// - The program must be linked with turnstile::deterministic, which replaces pthread_mutex_lock and similar functions.
//   The program cannot be built with a sanitizer.
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

// Identifies a simulated process of the service. simulated_world::start() returns this value.
enum class simulated_process : std::size_t {};

// The object with which a test controls a run. Thread safety: any thread of the run may call any member.
class simulated_world {
public:
    class state;
    // Only the library makes this object; the test gets it from run_deterministically(). `of` is the state of the run.
    explicit simulated_world(state& of) noexcept : state_{of} {}
    simulated_world(const simulated_world&) = delete;
    simulated_world& operator=(const simulated_world&) = delete;

    // Starts a simulated process with this name, which runs `main` in a thread. Threads that `main` starts belong to
    // the process. When `main` returns, the process and all its threads end. If `main` throws an exception, the run
    // fails.
    simulated_process start(std::string_view name, std::function<void()> main);
    // Returns whether the process still runs.
    [[nodiscard]] bool runs(simulated_process process) const;
    // Waits until the process's `main` has returned. Returns at once if the process was killed.
    void await(simulated_process process) const;

    // ---- faults ----
    // Stops the process for the virtual time `length`, as SIGSTOP does.
    void pause(simulated_process process, std::chrono::milliseconds length);
    // Ends the process at once, as SIGKILL does.
    void kill(simulated_process process);
    // Breaks the connections of the process. For the virtual time `length` its present sessions cannot reach a server.
    void cut_off(simulated_process process, std::chrono::milliseconds length);
    void change_leader();     // the leader loses its followers, and the servers elect again
    void restart_server();    // a server restarts, with its data
    void cut_off_follower();  // a follower loses its link to the leader for a while
    void
    stall_servers();  // stalls the leader or one of its links, at most for simulation_options::longest_stall
    // Deletes the znode at `path`, as an administrator can.
    void delete_znode(std::string_view path);

    // ---- functions that only return information ----
    [[nodiscard]] boottime_clock::duration now() const;  // virtual time since the start, exact
    // Returns the znode with its state after the servers' last commit. `path` includes the chroot.
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
    // Limit of the real time of the run. Set it generously, because the machine may be busy.
    std::chrono::seconds patience{60};
    // Called in the run when the test ends; if the function returns true, the run fails. The run is a forked process,
    // so failures that a test framework counts there are lost when that process ends. So pass `[] { return
    // ::testing::Test::HasFailure(); }`.
    std::function<bool()> has_failed{};
};

// The result of a run.
struct run_report {
    bool passed = false;                      // true if the test ended and no rule was broken
    std::string failure{};                    // the reason, if it failed
    boottime_clock::duration virtual_time{};  // virtual time that has passed
    std::uint64_t steps = 0;                  // number of scheduling points
    std::uint64_t fingerprint = 0;            // a hash of all decisions; equal for equal runs
    std::string latest{};  // where each thread was at the end; empty if the run passed
    std::string story{};   // events of the servers, one per line, if story_policy is `keep`

    [[nodiscard]] std::string text() const;  // the whole report, for people
};

// If `good` is false, the run fails, and its report has the text `rule`. Outside of a run the call throws
// std::runtime_error.
void require(bool good, std::string_view rule);

// Runs `test`, and all processes and threads that it starts, until `test` ends. A run can have at most 256 threads at
// once, and can start at most 1,023 simulated processes. The report has crashes, exceptions and failed calls of
// require(). Throws std::invalid_argument, which names the value and the rule; std::logic_error if the calling process
// has more than one thread; std::system_error if the system cannot start a process.
//
// Equal seeds give equal runs of a program only if its memory addresses are the same in each run: call
// fixed_addresses().
[[nodiscard]] run_report run_deterministically(const simulation_options& options,
                                               const std::function<void(simulated_world&)>& test,
                                               const run_limits& limits = {});

// Starts the program again without address space randomisation, unless the program already runs without it. Call this
// function first in main(). `arguments` is the argv of main().
void fixed_addresses(char** arguments);

}  // namespace turnstile::testing
