// SPDX-License-Identifier: Apache-2.0
// process_guard: finds and kills every process that a command has started, also those that left its process group
// (setsid, daemons).
//
// | guard    | a process of the command is                        | needs                                       |
// |----------|----------------------------------------------------|---------------------------------------------|
// | cgroup   | in the command's control group                     | cgroup v2 that may be written, Linux 5.14   |
// | children | below this process, which is its subreaper: it     | /proc of this PID namespace, with lists of  |
// |          | becomes a child when its parent ends               | children                                    |
//
// The constructor refuses a machine that has neither. With a control group the children are killed, too, wherever they
// can be listed: a process that was moved to another group is still a child in the end.
//
// A guard ends a command when this process has no child any more. A process that it cannot kill keeps it waiting, and
// the lock held.
//
// Thread safety: one thread at a time, in a process that waits for no child elsewhere.
#pragma once

#include <sys/types.h>

#include <optional>
#include <stdexcept>
#include <string_view>

#include "cli/control_group.hpp"
#include "cli/own_children.hpp"

namespace turnstile::cli {

enum class guard_choice { automatic, cgroup, children };

// The guard that was asked for is not available; the message says why.
class no_guard : public std::runtime_error {
    using runtime_error::runtime_error;
};

class process_guard {
public:
    // Call it while the process has one thread. From now on orphans below this process become its children. Throws
    // no_guard.
    explicit process_guard(guard_choice choice);
    // Removes the control group, once no process is left in it.
    ~process_guard();
    process_guard(const process_guard&) = delete;
    process_guard& operator=(const process_guard&) = delete;

    // "cgroup" or "children": what finds a process that runs on.
    [[nodiscard]] std::string_view name() const noexcept { return group_ ? "cgroup" : "children"; }

    // For a forked child that takes this guard over, as the keeper does: its children are others. Throws
    // std::runtime_error.
    void enter_fork();
    // Puts the calling process, which is about to become the command, under the guard. Returns 0 or errno.
    [[nodiscard]] int join() const noexcept { return group_ ? group_->join() : 0; }
    // Sends SIGKILL to all descendants until none is left. Returns the wait status of `command`, or 0 if that is no
    // child.
    [[nodiscard]] int end_all(pid_t command) const noexcept;
    // The destructor's work, for a process that ends by _exit.
    void remove() const noexcept;

private:
    std::optional<control_group> group_;
    std::optional<own_children> children_;
};

}  // namespace turnstile::cli
