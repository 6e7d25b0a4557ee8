// SPDX-License-Identifier: Apache-2.0
// process_guard: the guard that ends all processes of a command, and own_children, by which it finds them in /proc.
//
//     no_guard   the exception for a guard that is not available
#pragma once

#include <sys/types.h>

#include <optional>
#include <stdexcept>
#include <string_view>

#include "cli/control_group.hpp"
#include "support/descriptor.hpp"

namespace turnstile::cli {

// Finds this process's children in /proc.
//
// In the /proc of another PID namespace, the lists of children contain numbers that mean other processes here. The line
// `NSpid` of a process's status shows the process's number in each PID namespace, beginning with the namespace of the
// mounted procfs. The constructor accepts a procfs only if `NSpid` has a single number, this process's id. The folder
// stays open, so that a later mount over /proc has no effect.
//
// Thread safety: one thread at a time. No other code of the process may wait for children. After fork(), the child must
// make a new object.
class own_children {
public:
    // Throws std::runtime_error if /proc has no list of children, or belongs to another PID namespace.
    own_children();

    // Sends SIGKILL to every child of every thread of this process, and to no other process.
    void kill_all() const noexcept;

private:
    support::descriptor threads_;  // /proc/self/task
};

// Thrown if the requested guard is not available. The message contains the reason.
class no_guard : public std::runtime_error {
    using runtime_error::runtime_error;
};

enum class guard_choice { automatic, cgroup, children };

// Finds and kills all processes that a command has started, even if they left its process group (setsid, daemons).
//
// | guard    | a process of the command is                        | needs                                       |
// |----------|----------------------------------------------------|---------------------------------------------|
// | cgroup   | in the command's control group                     | cgroup v2 that may be written, Linux 5.14   |
// | children | a descendant of this process. This process is the  | /proc of this PID namespace, with lists of  |
// |          | subreaper: the parent of orphaned descendants      | children                                    |
//
// The constructor throws if neither kind is available. With a control group, the guard also kills the children of this
// process, if /proc lists them: a process that was moved to another group still becomes a child of this process.
//
// A command has ended when this process has no child left. If the guard cannot kill a process, it waits, and the lock
// stays held.
//
// Thread safety: one thread at a time. No other code of the process may wait for children.
class process_guard {
public:
    // Call this while the process has one thread. Afterwards, if a descendant's parent dies, this process becomes the
    // descendant's parent. Throws no_guard.
    explicit process_guard(guard_choice choice);
    // Removes the control group, in which no process may be left.
    ~process_guard();
    process_guard(const process_guard&) = delete;
    process_guard& operator=(const process_guard&) = delete;

    [[nodiscard]] std::string_view name() const noexcept { return group_ ? "cgroup" : "children"; }

    // A forked child that takes over this guard, such as the keeper (cli/keeper.hpp), must first call enter_fork(): a
    // fork does not inherit the role of subreaper, and the guard's open list of children is the parent's. Throws
    // std::runtime_error.
    void enter_fork();
    // Adds the calling process, which will become the command, to the guard. Returns 0 or errno.
    [[nodiscard]] int join() const noexcept { return group_ ? group_->join() : 0; }
    // Sends SIGKILL to all descendants until there are none. Returns the wait status of `command`, or 0 if it is not a
    // child.
    [[nodiscard]] int end_all(pid_t command) const noexcept;
    // Does the destructor's work in a process that ends by _exit.
    void remove() const noexcept;

private:
    std::optional<control_group> group_;
    std::optional<own_children> children_;
};

}  // namespace turnstile::cli
