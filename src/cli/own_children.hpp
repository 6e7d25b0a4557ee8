// SPDX-License-Identifier: Apache-2.0
// own_children: finds this process's children in /proc.
//
// In the /proc of another PID namespace, the lists of children contain numbers that mean other processes here. The line
// `NSpid` of a process's status shows the process's number in each PID namespace, beginning with the namespace of the
// mounted procfs. The constructor accepts a procfs only if `NSpid` has a single number, this process's id. The folder
// stays open, so that a later mount over /proc has no effect.
//
// Thread safety: one thread at a time. No other code of the process may wait for children. After fork(), the child must
// make a new object.
#pragma once

#include "support/descriptor.hpp"

namespace turnstile::cli {

class own_children {
public:
    // Throws std::runtime_error if /proc has no list of children, or belongs to another PID namespace.
    own_children();

    // Sends SIGKILL to every child of every thread of this process, and to no other process.
    void kill_all() const noexcept;

private:
    support::descriptor threads_;  // /proc/self/task
};

}  // namespace turnstile::cli
