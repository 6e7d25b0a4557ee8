// SPDX-License-Identifier: Apache-2.0
// command_watch: while the command runs, tells the keeper how long the hold is certain, hands signals on, and
// writes the command's status lines.
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

// What a command runs under: a lock's guard, a leader's term.
struct watched_hold {
    std::function<boottime_clock::time_point()> valid_until;
    std::function<result<void>()> status;
    std::stop_token lost;
    // Its end by --max-hold: valid_until() is never later.
    std::optional<boottime_clock::time_point> longest{};
};

// How the command ended. `failure`: errno where it could not be started.
struct command_end {
    int wait_status = 0;
    int failure = 0;
    bool hold_lost = false;
    bool at_longest = false;  // it was --max-hold that ended the hold, or was about to
    bool keeper_died = false;
    bool stop_asked = false;  // a signal that ends things was handed on to it
};

class command_watch {
public:
    // Throws std::system_error.
    command_watch(const keeper_link& keeper, const process_guard& guard,
                  const forwarded_signals& signals, watched_hold hold, const status_pipe& status,
                  lost_policy policy);

    // Starts the command with this environment and returns when it and all that it has started have ended.
    [[nodiscard]] command_end run(const std::vector<std::string>& environment);

private:
    [[nodiscard]] bool start(const std::vector<std::string>& environment);
    [[nodiscard]] bool wait_and_handle();
    void tell_lease();
    void tell_loss();
    void forward_signals();
    // False: nothing more comes.
    [[nodiscard]] bool take_report();
    [[nodiscard]] int longest_pause() const;
    // The command must be dead by now, and the keeper, which would say so, is silent: it is stopped, or stuck.
    [[nodiscard]] bool is_keeper_late() const;

    const int keeper_;
    const pid_t keeper_process_;
    const process_guard& guard_;  // in force once the keeper is dead
    const lost_policy policy_;
    const forwarded_signals& signals_;
    const watched_hold hold_;
    const status_pipe& status_;
    const support::descriptor lost_;
    pid_t command_ = -1;
    bool told_loss_ = false;
    boottime_clock::time_point over_at_ =
        boottime_clock::time_point::max();  // when it told of the loss
    boottime_clock::time_point told_{};
    command_end end_{};
};

}  // namespace turnstile::cli
