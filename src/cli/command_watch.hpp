// SPDX-License-Identifier: Apache-2.0
// command_watch: while the command runs, reports to the keeper how long the hold is valid. The keeper is the process
// that kills the command before the hold ends. Also forwards signals to the command, and writes the status lines that
// the command can read.
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
#include "cli/status_pipe.hpp"
#include "support/descriptor.hpp"
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
    const support::descriptor lost_;
    pid_t command_ = -1;
    bool told_loss_ = false;
    boottime_clock::time_point over_at_ =
        boottime_clock::time_point::max();  // time of the report of the loss
    boottime_clock::time_point told_{};
    command_end end_{};
};

}  // namespace turnstile::cli
