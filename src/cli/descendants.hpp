// SPDX-License-Identifier: Apache-2.0
// descendants: every process that a command has started, also those that left its process group (setsid, daemons).
//
// The caller is their subreaper: a process whose parent ends becomes its child, so none gets away. A descendant that
// runs as another user (setuid) cannot be killed, and is waited for.
//
// Thread safety: one thread at a time, in a process that waits for no child elsewhere.
#pragma once

#include <sys/types.h>

namespace turnstile::cli {

// From now on orphans below this process become its children.
void adopt_orphans() noexcept;

// SIGKILL for all descendants until none is left. The wait status of `command`, or 0 if it is none of them.
int kill_descendants(pid_t command) noexcept;

}  // namespace turnstile::cli
