// SPDX-License-Identifier: Apache-2.0
#include "guardian/service.hpp"

#include <sys/signalfd.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "guardian/message.hpp"
#include "turnstile/guardian.hpp"

namespace turnstile::guardian {
namespace {

constexpr std::array k_passed_on{SIGTERM, SIGINT,  SIGHUP,  SIGQUIT,
                                 SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};
constexpr int k_not_found = 127;
constexpr int k_not_executable = 126;
constexpr int k_signal_base = 128;

[[noreturn]] void fail(const char* call) {
    throw std::system_error{errno, std::generic_category(), call};
}

sigset_t taken_signals() {
    sigset_t result;
    ::sigemptyset(&result);
    for (const int number : k_passed_on) ::sigaddset(&result, number);
    ::sigaddset(&result, SIGCHLD);
    return result;
}

[[noreturn]] void become(char** command) {
    ::execvp(command[0], command);
    const int why = errno;
    std::fprintf(stderr, "turnstile-guardian: %s: %s\n", command[0], std::strerror(why));
    ::_exit(why == ENOENT ? k_not_found : k_not_executable);
}

}  // namespace

service::service() {
    ::signal(SIGCHLD, SIG_DFL);  // if SIGCHLD were ignored, there would be no exit status to read
    const auto taken = taken_signals();
    ::sigprocmask(SIG_BLOCK, &taken, &before_);
    signals_ = support::descriptor{::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK)};
    if (!signals_.open()) fail("signalfd");
}

void service::start(char** command, const std::string& socket_name, const rlimit& core_limit) {
    process_ = ::fork();
    if (process_ < 0) fail("fork");
    if (process_ > 0) return;
    ::setenv(k_guardian_variable, socket_name.c_str(), 1);
    ::setrlimit(RLIMIT_CORE, &core_limit);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
    become(command);
}

void service::handle_signals() {
    signalfd_siginfo came{};
    while (::read(signals_.get(), &came, sizeof came) == sizeof came) {
        const int number = static_cast<int>(came.ssi_signo);
        if (number == SIGCHLD) continue;
        // The terminal sends its signals to the whole process group, so the service has already received such a signal.
        const bool from_terminal = came.ssi_code == SI_KERNEL;
        if (!ended_ && !from_terminal) ::kill(process_, number);
        if (ended_ && (number == SIGTERM || number == SIGINT)) hurried_ = true;
    }
    reap();
}

void service::reap() {
    for (;;) {
        int status = 0;
        const pid_t process = ::waitpid(-1, &status, WNOHANG);
        if (process <= 0) return;
        if (process != process_) continue;
        ended_ = true;
        exit_code_ = WIFSIGNALED(status) ? k_signal_base + WTERMSIG(status) : WEXITSTATUS(status);
    }
}

}  // namespace turnstile::guardian
