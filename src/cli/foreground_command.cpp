// SPDX-License-Identifier: Apache-2.0
#include "cli/foreground_command.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/exit_code.hpp"

namespace turnstile::cli {
namespace {

// The caller prepares arguments and environment before the fork: the child of a process with threads must not allocate.
[[noreturn]] void become(char* const* words, const sigset_t& mask, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(k_cannot_execute);
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    ::execvp(words[0], words);
    const int failure = errno;
    ::dprintf(STDERR_FILENO, "turnstile: %s: %s\n", words[0], std::strerror(failure));
    ::_exit(exit_code_of_exec(failure));
}

void forward(const forwarded_signals& signals, pid_t child) {
    for (int signal = signals.next(); signal != 0; signal = signals.next())
        if (signal != SIGINT && signal != SIGQUIT) ::kill(child, signal);
}

}  // namespace

int run_in_foreground(const std::vector<std::string>& command, const std::string& environment,
                      const forwarded_signals& signals) {
    std::vector<char*> words;
    for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const auto equals = environment.find('=');
    ::setenv(environment.substr(0, equals).c_str(), environment.substr(equals + 1).c_str(), 1);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) become(words.data(), signals.mask_before(), parent);
    if (child < 0) return k_cannot_execute;
    const support::descriptor process{static_cast<int>(::syscall(SYS_pidfd_open, child, 0))};
    // Some containers forbid pidfd_open(). There the loop looks for the end of the child every k_look_ms.
    constexpr int k_look_ms = 100;
    const int longest = process.open() ? -1 : k_look_ms;
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        std::array<pollfd, 2> watched{
            {{process.get(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}}};
        ::poll(watched.data(), watched.size(), longest);
        if (watched[1].revents != 0) forward(signals, child);
    }
    return exit_code_of_command(status, false);
}

}  // namespace turnstile::cli
