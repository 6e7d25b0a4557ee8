// SPDX-License-Identifier: Apache-2.0
#include "cli/descendants.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/descriptor.hpp"

namespace turnstile::cli {
namespace {

// Of one thread. What is read is a list of numbers, each with a space behind it.
void kill_children_of(int tasks, const char* thread) noexcept {
    const base::descriptor folder{
        ::openat(tasks, thread, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOCTTY)};
    const base::descriptor list{
        ::openat(folder.get(), "children", O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    std::array<char, 4096> part{};
    pid_t number = 0;
    for (;;) {
        const auto size = ::read(list.get(), part.data(), part.size());
        if (size <= 0) return;
        for (ssize_t i = 0; i < size; ++i) {
            const char symbol = part[static_cast<std::size_t>(i)];
            if (symbol >= '0' && symbol <= '9') {
                number = number * 10 + (symbol - '0');
            } else if (number > 0) {
                ::kill(number, SIGKILL);
                number = 0;
            }
        }
    }
}

// An orphan may become the child of any thread.
void kill_children() noexcept {
    DIR* const tasks = ::opendir("/proc/self/task");
    if (tasks == nullptr) return;
    while (const dirent* const entry = ::readdir(tasks))
        if (entry->d_name[0] != '.') kill_children_of(::dirfd(tasks), entry->d_name);
    ::closedir(tasks);
}

}  // namespace

void adopt_orphans() noexcept {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int kill_descendants(pid_t command) noexcept {
    int status_of_command = 0;
    for (;;) {
        // The children of a process become ours before its own end can be waited for: each round finds them.
        kill_children();
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, 0);
        if (ended == command && ended > 0) status_of_command = status;
        if (ended < 0 && errno == ECHILD) return status_of_command;
    }
}

}  // namespace turnstile::cli
