// SPDX-License-Identifier: Apache-2.0
// keeper_loop: the event loop of the keeper (cli/keeper.hpp), and the terminal, which the loop lends to the command.
#pragma once

#include <sys/types.h>

#include <string_view>

#include "cli/keeper_orders.hpp"
#include "cli/process_guard.hpp"
#include "cli/session_closing.hpp"
#include "cli/supervision.hpp"
#include "support/descriptor.hpp"

namespace turnstile::cli {

// Gives the controlling terminal to a command that needs it, and takes it back.
//
// The command has a separate process group, so the kernel stops it when it reads the terminal (SIGTTIN) or sets its
// modes (SIGTTOU). If `run` is in the foreground, the command then gets the terminal and continues. At the end, `run`
// takes the terminal back. A command that does not use the terminal never gets it: in a pipeline, the pager needs it.
//
// Thread safety: one thread, with SIGTTOU blocked.
class terminal {
public:
    // `owner`: the process group that owns the terminal.
    explicit terminal(pid_t owner) noexcept;

    // Gives the terminal to `group` if the owner has it now. Returns true if `group` then has the terminal.
    bool lend(pid_t group) noexcept;
    void take_back() noexcept;

private:
    pid_t owner_;
    support::descriptor device_;
    bool lent_ = false;
};

// The event loop of the keeper, the process that kills the user's command before the hold ends. The loop starts a
// command when `run` or `elect` orders it, and never runs two commands at the same time.
//
// Thread safety: the keeper's only thread.
class keeper_loop {
public:
    // `run_group`: the process group of `run`, which may own the terminal. While the loop runs, `sessions` receives the
    // messages about the sessions of `run`. Throws std::system_error.
    keeper_loop(const keeper_settings& settings, const process_guard& guard, int socket,
                pid_t run_group, session_closing& sessions);

    // Returns when `turnstile run` has ended, and the command and all processes that it started are dead.
    void run();

private:
    void apply(supervision::action action);
    void arm_timer() const;
    void take_order();
    void start(std::string_view environment);
    // Handles the success or failure of exec.
    void take_exec(short events);
    // Handles the end or the stop of the command.
    void take_change();
    void take_stop(int signal);
    void end_command();
    void lend_terminal();
    void forward(int signal) const;
    void signal_command(int signal) const;
    void report(const report_packet& packet) const;

    const keeper_settings& settings_;
    const process_guard& guard_;
    const int socket_;
    session_closing& sessions_;
    const support::descriptor timer_;
    const support::descriptor changes_;
    terminal terminal_;
    supervision supervision_;
    pid_t command_ = -1;
    pid_t given_up_ = -1;           // killed before its program ran; has not ended yet
    support::descriptor exec_;      // open while exec is in progress
    bool awaits_terminal_ = false;  // the command is stopped because it needs the terminal
    bool run_ended_ = false;
};

}  // namespace turnstile::cli
