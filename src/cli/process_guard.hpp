// SPDX-License-Identifier: Apache-2.0
// process_guard: finds and kills every process that a command has started, including processes that left its process
// group (setsid, daemons).
//
// | guard    | a process of the command is                        | needs                                       |
// |----------|----------------------------------------------------|---------------------------------------------|
// | cgroup   | in the command's control group                     | cgroup v2 that may be written, Linux 5.14   |
// | children | a descendant of this process. This process is the  | /proc of this PID namespace, with lists of  |
// |          | subreaper: the parent of orphaned descendants      | children                                    |
//
// The constructor throws on a machine that has neither. With a control group, the children are killed as well, if they
// can be listed: a process that was moved to another group still becomes a child of this process.
//
// A guard has ended a command when this process has no child left. While a process exists that the guard cannot kill,
// the guard waits, and the lock stays held.
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

// Thrown if the requested guard is not available. The message has the reason.
class no_guard : public std::runtime_error {
    using runtime_error::runtime_error;
};

class process_guard {
public:
    // Call it while the process has one thread. From then on this process inherits orphans of its descendants. Throws
    // no_guard.
    explicit process_guard(guard_choice choice);
    // Removes the control group, once no process is left in it.
    ~process_guard();
    process_guard(const process_guard&) = delete;
    process_guard& operator=(const process_guard&) = delete;

    // Returns "cgroup" or "children", the way in which this guard finds processes.
    [[nodiscard]] std::string_view name() const noexcept { return group_ ? "cgroup" : "children"; }

    // A forked child that takes over this guard, such as the keeper, calls enter_fork() first: the child has other
    // children than its parent. Throws std::runtime_error.
    void enter_fork();
    // Puts the calling process, which is about to become the command, under the guard. Returns 0 or errno.
    [[nodiscard]] int join() const noexcept { return group_ ? group_->join() : 0; }
    // Sends SIGKILL to all descendants until none is left. Returns the wait status of `command`, or 0 if `command` is
    // not a child.
    [[nodiscard]] int end_all(pid_t command) const noexcept;
    // Does the destructor's work in a process that ends by _exit.
    void remove() const noexcept;

private:
    std::optional<control_group> group_;
    std::optional<own_children> children_;
};

}  // namespace turnstile::cli
