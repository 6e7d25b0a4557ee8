// SPDX-License-Identifier: Apache-2.0
// keeper_loop: what the keeper does, from the start of a command to its end, and for further ones.
//
// Thread safety: the one thread of the keeper's process.
#pragma once

#include <string_view>

#include "cli/keeper_orders.hpp"
#include "cli/keeper_settings.hpp"
#include "cli/process_guard.hpp"
#include "cli/session_closing.hpp"
#include "cli/supervision.hpp"
#include "cli/terminal.hpp"
#include "support/descriptor.hpp"

namespace turnstile::cli {

class keeper_loop {
public:
    // `run_group`: the process group of `run`, which may own the terminal. `sessions` hears of those of `run`
    // meanwhile. Throws std::system_error.
    keeper_loop(const keeper_settings& settings, const process_guard& guard, int socket,
                pid_t run_group, session_closing& sessions);

    // Returns when `run` has ended, and the command and all that it has started are dead.
    void run();

private:
    void apply(supervision::action action);
    void arm_timer() const;
    void take_order();
    void start(std::string_view environment);
    // The end of exec.
    void take_exec(short events);
    // A change of the command: it ended, or was stopped.
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
    pid_t given_up_ = -1;           // was killed before its program ran, and has not ended yet
    support::descriptor exec_;      // while the command's program is on its way
    bool awaits_terminal_ = false;  // the command is stopped for it
    bool run_ended_ = false;
};

}  // namespace turnstile::cli
