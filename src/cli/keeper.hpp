// SPDX-License-Identifier: Apache-2.0
// keeper: the small process between `run` and its command. It ends the command in time.
//
// `run` owns the session. If `run` is frozen (SIGSTOP, a debugger), it cannot signal the command, and another client
// may be granted the lock while the command runs. The keeper prevents this. `run` forks it before the client starts
// threads. The keeper has one thread and its own process group. `run` reports to it until when the hold is certain, and
// the keeper applies `supervision` to the command.
//
// | process that ends | consequence                                                                               |
// |-------------------|-------------------------------------------------------------------------------------------|
// | the command       | the keeper kills what the command has started, and reports to `run`, which releases the lock |
// | `run`             | the keeper kills the command and all its descendants, and then closes the sessions of `run` (its guardian); the next waiter gets the lock at once, and not before |
// | the keeper        | the kernel kills the command (PR_SET_PDEATHSIG), and `run` kills what the command has started |
#pragma once

#include <sys/types.h>

#include <string>

#include "cli/keeper_settings.hpp"
#include "cli/process_guard.hpp"
#include "support/descriptor.hpp"

namespace turnstile::cli {

// The data with which `run` communicates with its keeper.
struct keeper_link {
    support::descriptor socket;
    support::descriptor guardian;  // for the client of `run`
    pid_t pid = -1;
};

// Forks the keeper, which takes over the guard. Call it with the forwarded signals blocked and before the process has a
// second thread. Throws std::system_error, and no_guard if the keeper would have another clock.
[[nodiscard]] keeper_link start_keeper(const keeper_settings& settings, process_guard& guard);

// The value of TURNSTILE_GUARDIAN for the client of `run`, while the link exists.
[[nodiscard]] std::string guardian_name(const keeper_link& keeper);

// Tells the keeper that `run` ends, and reaps it. Does not wait for a keeper that still has a session to close.
void end_keeper(keeper_link keeper) noexcept;

}  // namespace turnstile::cli
