// SPDX-License-Identifier: Apache-2.0
// command_host: runs a command while the client holds a lock or leads an election. command_watch: the part of this work
// that lasts as long as the command.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cli/forwarded_signals.hpp"
#include "cli/keeper.hpp"
#include "cli/keeping_options.hpp"
#include "cli/process_guard.hpp"
#include "cli/servers.hpp"
#include "cli/status_pipe.hpp"
#include "support/wake_up.hpp"
#include "turnstile/client.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/result.hpp"

namespace turnstile::cli {

// The hold under which a command runs: the hold of a lock, or the leadership of an election.
struct watched_hold {
    std::function<boottime_clock::time_point()> valid_until;
    std::function<result<void>()> status;
    std::stop_token lost;
    // The end of the hold by --max-hold, if that option is set. valid_until() returns no later time.
    std::optional<boottime_clock::time_point> longest{};
};

// The end of a command. `failure`: the errno if the command could not be started.
struct command_end {
    int wait_status = 0;
    int failure = 0;
    bool hold_lost = false;
    bool at_longest = false;  // --max-hold ended the hold, or was about to
    bool keeper_died = false;
    bool started = false;     // the keeper has started a process for the command
    bool stop_asked = false;  // a terminating signal was forwarded to it
};

// While the command runs, reports to the keeper how long the hold is valid. The keeper is the process that kills the
// command before the hold ends. Also forwards signals to the command, and writes the status lines that the command can
// read.
class command_watch {
public:
    // Throws std::system_error.
    command_watch(const keeper_link& keeper, const process_guard& guard,
                  const forwarded_signals& signals, watched_hold hold, const status_pipe& status,
                  lost_policy policy);

    // Runs the command with this environment. Returns when the command and all processes that it started have ended.
    [[nodiscard]] command_end run(const std::vector<std::string>& environment);

private:
    [[nodiscard]] bool start(const std::vector<std::string>& environment);
    [[nodiscard]] bool wait_and_handle();
    void tell_lease();
    void tell_loss();
    void forward_signals();
    void note_death_of_keeper() noexcept;
    // Reads a report of the process that watches the command (the keeper). Returns false if it is the last report.
    [[nodiscard]] bool take_report();
    [[nodiscard]] int longest_pause() const;
    // True if the command must be dead by now, but the process that watches it (the keeper) has not reported its end.
    // Then the keeper must be stopped or blocked.
    [[nodiscard]] bool is_keeper_late() const;

    const int keeper_;
    const pid_t keeper_process_;
    const process_guard& guard_;  // takes effect when the keeper is dead
    const lost_policy policy_;
    const forwarded_signals& signals_;
    const watched_hold hold_;
    const status_pipe& status_;
    support::wake_up lost_;
    pid_t command_ = -1;
    bool told_loss_ = false;
    boottime_clock::time_point over_at_ =
        boottime_clock::time_point::max();  // time of the report of the loss
    boottime_clock::time_point told_{};
    command_end end_{};
};

// Runs a command while the client holds a lock or leads an election. Owns the forwarded signals, the pipe for status
// lines, and the keeper: the process that kills the command before the lease ends.
//
//     command_host host{options.keeping};              // before there is a second thread
//     client servers{where, host.options_for(options.servers)};
//     const auto connected = host.connect(servers, options.servers);
//     const auto end = host.run({...}, {"TURNSTILE_PATH=/locks/a"});
//     return host.code_of(end, hold.status());
//
// Thread safety: one thread; status() may be called from any thread.
class command_host {
public:
    // Forks the keeper (the process that kills the command before the hold ends), blocks the signals that are forwarded
    // to the command, and ignores SIGPIPE and SIGTSTP. Throws std::system_error and no_guard.
    explicit command_host(const keeping_options& options);
    // Destroy the client before this object. The destructor ends the keeper (the process that watches the command),
    // which first closes the sessions that the client has left open.
    ~command_host() { end_keeper(std::move(keeper_)); }
    command_host(const command_host&) = delete;
    command_host& operator=(const command_host&) = delete;

    [[nodiscard]] const forwarded_signals& signals() const noexcept { return signals_; }
    [[nodiscard]] const status_pipe& status() const noexcept { return status_; }
    // Returns client options with two effects. The process that watches the command (the keeper) also becomes the
    // client's guardian: it closes the sessions that the client leaves open. The client refuses a path with contenders
    // of another kind of lock.
    [[nodiscard]] static client_options options_for(const server_settings& servers);

    // Waits until the client is connected. Checks that the granted session timeout is long enough for the grace period.
    [[nodiscard]] result<void> connect(client& zookeeper, const server_settings& servers);

    // Runs the command under the hold. The command gets the variables in `environment`, and variables with the end of
    // the hold, the status pipe's descriptor and the kind of process guard (cli/process_guard.hpp).
    [[nodiscard]] command_end run(const watched_hold& hold, std::vector<std::string> environment);
    // Returns the exit code. If the command did not end by itself, prints one line on stderr; `hold` contains the
    // reason.
    [[nodiscard]] int code_of(const command_end& end, const result<void>& hold) const;

private:
    const keeping_options& options_;
    const forwarded_signals signals_{signals_taken::all};
    const status_pipe status_;
    process_guard guard_;
    keeper_link keeper_;
};

// Determines the servers, and calls `work` with a host and an unconnected client. Returns the exit code of `work`. For
// invalid options, prints one line on stderr and returns an exit code.
[[nodiscard]] int with_command_host(
    const keeping_options& keeping, server_settings& servers,
    const std::function<int(client& zookeeper, command_host& host)>& work);

}  // namespace turnstile::cli
