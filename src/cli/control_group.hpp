// SPDX-License-Identifier: Apache-2.0
// control_group: a control group (cgroup v2) for one command, so that the kernel can kill the command's processes
// together.
//
//     control_group group;                       // below the group of this process
//     if (::fork() == 0 && group.join() == 0) ...
//     group.kill();                              // kills also processes that fork meanwhile, or run as another user
//     group.remove();
//
// The group is a child of this process's group, so all limits stay in force. This class enables no controllers. The
// constructor removes empty groups of dead runs.
//
// Thread safety: one thread; after a fork both processes may use their copies.
#pragma once

#include <string>

#include "support/descriptor.hpp"

namespace turnstile::cli {

class control_group {
public:
    // Creates the group, and tests it with a child process that joins it. Call this while the process has one thread.
    // Throws std::runtime_error with the reason if a process cannot join a new group here.
    control_group();
    control_group(const control_group&) = delete;
    control_group& operator=(const control_group&) = delete;
    ~control_group() = default;

    // Moves the calling process, which has one thread, into the group. Returns 0 or errno.
    [[nodiscard]] int join() const noexcept;
    // Sends SIGKILL to every process in the group and in groups below it.
    void kill() const noexcept;
    // Removes the group and the groups below it. No process may be left in them.
    void remove() const noexcept;

    // True if systemd manages this process's group and has not delegated it. systemd then expects that no other program
    // creates groups there.
    [[nodiscard]] static bool is_left_to_systemd();

private:
    std::string name_;
    support::descriptor parent_;
    support::descriptor folder_;
    support::descriptor members_;  // cgroup.procs
    support::descriptor killer_;   // cgroup.kill
};

}  // namespace turnstile::cli
