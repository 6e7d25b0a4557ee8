// SPDX-License-Identifier: Apache-2.0
// own_children: the children of this process, from the lists in /proc.
//
// A list from the /proc of another PID namespace has numbers that belong to other processes here. In a process's
// status, `NSpid` lists the process's number in each namespace, from the procfs's namespace down to the process's own.
// The constructor accepts a procfs only if that list has one number for this process: its own id. The folder stays
// open, so that a later mount over /proc changes nothing.
//
// Thread safety: one thread at a time, in a process that waits for no child elsewhere. A forked child makes its own.
#pragma once

#include "support/descriptor.hpp"

namespace turnstile::cli {

class own_children {
public:
    // Throws std::runtime_error with the reason: the list is missing, or belongs to another PID namespace.
    own_children();

    // Sends SIGKILL to every child of every thread, and to no other process.
    void kill_all() const noexcept;

private:
    support::descriptor threads_;  // /proc/self/task
};

}  // namespace turnstile::cli
