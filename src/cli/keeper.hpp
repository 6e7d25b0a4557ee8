// SPDX-License-Identifier: Apache-2.0
// keeper: a small process between `run` and its command. It kills the command before the hold ends.
//
// `run` owns the session. If `run` is stopped (SIGSTOP, a debugger), it cannot signal the command, and another client
// may get the lock while the command still runs. The keeper prevents this. The keeper has one thread and a separate
// process group, and `run` forks it before the client starts threads. `run` reports to the keeper until when the hold
// is certain, and the keeper applies `supervision` to the command.
//
// | process that ends | consequence                                                                              |
// |-------------------|------------------------------------------------------------------------------------------|
// | the command       | the keeper kills the processes that the command has started, and reports to `run`, which |
// |                   | releases the lock                                                                        |
// | `run`             | the keeper kills the command and all its descendants, and then closes the sessions of    |
// |                   | `run`, as a guardian does. Only then the next waiter gets the lock                       |
// | the keeper        | the kernel kills the command (PR_SET_PDEATHSIG), and `run` kills the processes that the  |
// |                   | command has started                                                                      |
#pragma once

#include <sys/types.h>

#include <string>

#include "cli/keeper_orders.hpp"
#include "cli/process_guard.hpp"
#include "support/descriptor.hpp"

namespace turnstile::cli {

struct keeper_link {
    support::descriptor socket;
    support::descriptor guardian;  // through which the client of `run` reaches the keeper
    pid_t pid = -1;
};

// Forks the keeper, the process that kills the command before the hold ends. The keeper takes over `guard`. Call this
// with the forwarded signals blocked, and before the process has a second thread. Throws std::system_error. Throws
// no_guard if this process's children are in another time namespace, because the keeper's clock would then differ from
// this process's clock.
[[nodiscard]] keeper_link start_keeper(const keeper_settings& settings, process_guard& guard);

// Returns the value of TURNSTILE_GUARDIAN for the client of `turnstile run`. The value is valid while `keeper` exists.
[[nodiscard]] std::string guardian_name(const keeper_link& keeper);

// Notifies the process that watches the command (the keeper) that `turnstile run` ends, and reaps it. Waits for it at
// most 500 ms: it may still have to close sessions, and then continues alone.
void end_keeper(keeper_link keeper) noexcept;

}  // namespace turnstile::cli
