// SPDX-License-Identifier: Apache-2.0
#include "cli/process_guard.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>

namespace turnstile::cli {
namespace {

// Constructs the guard. Returns an empty text, or the reason why it is not available.
template <class T>
std::string emplace(std::optional<T>& guard) {
    try {
        guard.emplace();
        return {};
    } catch (const std::runtime_error& why) {
        return why.what();
    }
}

bool wants_group(guard_choice choice) {
    if (choice == guard_choice::automatic) return !control_group::is_left_to_systemd();
    return choice == guard_choice::cgroup;
}

}  // namespace

process_guard::process_guard(guard_choice choice) {
    // Restores SIGCHLD's default action: if SIGCHLD were ignored, the kernel would reap the children, and waitpid()
    // would find none.
    ::signal(SIGCHLD, SIG_DFL);
    const std::string sentence =
        "turnstile could not find and kill the processes that the command starts: ";
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        throw no_guard{sentence + "prctl(PR_SET_CHILD_SUBREAPER): " + std::strerror(errno)};
    const auto no_group = wants_group(choice) ? emplace(group_) : std::string{};
    const auto no_children = emplace(children_);
    if (group_ || (children_ && choice != guard_choice::cgroup)) return;
    if (choice == guard_choice::cgroup) throw no_guard{sentence + no_group};
    throw no_guard{sentence + no_children + (no_group.empty() ? "" : "; " + no_group)};
}

process_guard::~process_guard() {
    remove();
}

void process_guard::enter_fork() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (children_) children_.emplace();
}

int process_guard::end_all(pid_t command) const noexcept {
    int status_of_command = 0;
    for (;;) {
        // When a process dies, its children become children of this process before this process can reap the dead
        // process. So each round finds the next generation.
        if (group_) group_->kill();
        if (children_) children_->kill_all();
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, __WALL);
        if (ended == command && ended > 0) status_of_command = status;
        if (ended < 0 && errno == ECHILD) return status_of_command;
    }
}

void process_guard::remove() const noexcept {
    if (group_) group_->remove();
}

}  // namespace turnstile::cli
