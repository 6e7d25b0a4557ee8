// SPDX-License-Identifier: Apache-2.0
#include "cli/command_start.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cli/exit_code.hpp"

namespace turnstile::cli {
namespace {

void set_environment(const std::vector<std::string>& environment) {
    for (const auto& entry : environment) {
        const auto equals = entry.find('=');
        ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
    }
}

[[noreturn]] void fail(int failure, int failure_fd) {
    while (::write(failure_fd, &failure, sizeof failure) < 0 && errno == EINTR) {
    }
    ::_exit(exit_code_of_exec(failure));
}

[[noreturn]] void become_command(const keeper_settings& settings, const process_guard& guard,
                                 pid_t keeper, const std::vector<std::string>& environment,
                                 int failure_fd) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != keeper) ::_exit(k_cannot_execute);
    if (const int failure = guard.join(); failure != 0) fail(failure, failure_fd);
    set_environment(environment);
    ::fcntl(settings.status_fd, F_SETFD, 0);
    std::vector<char*> arguments;
    for (const auto& word : settings.command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::sigprocmask(SIG_SETMASK, &settings.signals, nullptr);
    ::execvp(arguments[0], arguments.data());
    fail(errno, failure_fd);
}

}  // namespace

started_command start_command(const keeper_settings& settings, const process_guard& guard,
                              const std::vector<std::string>& environment) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {.failure = errno};
    support::descriptor reader{ends[0]};
    support::descriptor writer{ends[1]};
    const pid_t keeper = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) become_command(settings, guard, keeper, environment, writer.get());
    const int fork_failure = errno;
    if (pid < 0) return {.failure = fork_failure};
    writer.reset();
    ::setpgid(pid, pid);  // parent and child both call it, so the order does not matter
    return {.pid = pid, .exec = std::move(reader)};
}

// `exec`: the reading end of a pipe. A successful exec closes the other end. After a failed exec, the child writes the
// errno into the pipe.
bool is_under_way(const support::descriptor& exec) noexcept {
    pollfd end{exec.get(), POLLIN, 0};
    return exec.open() && ::poll(&end, 1, 0) == 0;
}

int failure_of(const support::descriptor& exec) noexcept {
    int failure = 0;
    ssize_t count = 0;
    do count = ::read(exec.get(), &failure, sizeof failure);
    while (count < 0 && errno == EINTR);
    return count == sizeof failure ? failure : 0;
}

std::string failure_text(const std::vector<std::string>& command, int failure) {
    const auto& program = command.front();
    const bool is_line = command.size() == 1 && program.find(' ') != std::string::npos;
    return program + ": " + std::strerror(failure) +
           (is_line && failure == ENOENT ? "; a line for the shell needs --shell" : "");
}

}  // namespace turnstile::cli
