// SPDX-License-Identifier: Apache-2.0
// keeper: the small process between `run` and its command, which ends the command in time.
//
// `run` holds the session; were it frozen (SIGSTOP, a debugger) it could not signal the command, and another client
// would be granted the lock beside it. The keeper is forked before the client starts its threads, has one thread, and
// stands in a process group of its own. It knows until when the hold is certain, from `run`, and applies
// `supervision` to the command.
//
// | what ends     | then                                                                                          |
// |---------------|-----------------------------------------------------------------------------------------------|
// | the command   | the keeper kills what the command has started, and tells `run`, which gives the lock up       |
// | `run`         | the keeper kills the command and all below it, then closes the sessions of `run` (its         |
// |               | guardian): the lock is the next one's at once, and not before                                 |
// | the keeper    | the kernel kills the command (PR_SET_PDEATHSIG), `run` what the command has started           |
#pragma once

#include <sys/types.h>

#include <string>

#include "cli/keeper_settings.hpp"
#include "cli/process_guard.hpp"
#include "support/descriptor.hpp"

namespace turnstile::cli {

// What `run` keeps of its keeper.
struct keeper_link {
    support::descriptor socket;
    support::descriptor guardian;  // for the client of `run`
    pid_t pid = -1;
};

// Forks the keeper, which takes over the guard. Call it with the forwarded signals blocked and before the process has a
// second thread. Throws std::system_error.
[[nodiscard]] keeper_link start_keeper(const keeper_settings& settings, process_guard& guard);

// What TURNSTILE_GUARDIAN says to the client of `run`, for as long as the link is there.
[[nodiscard]] std::string guardian_name(const keeper_link& keeper);

// Tells the keeper that `run` ends, and reaps it. A keeper that still has a session to close is left alone.
void end_keeper(keeper_link keeper) noexcept;

}  // namespace turnstile::cli
