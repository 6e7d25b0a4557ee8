// SPDX-License-Identifier: Apache-2.0
#include "cli/forwarded_signals.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace turnstile::cli {
namespace {

bool is_ignored(int signal) {
    struct sigaction action {};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

forwarded_signals::forwarded_signals() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT})
        if (!is_ignored(signal)) ::sigaddset(&set, signal);
    ::sigprocmask(SIG_BLOCK, &set, &before_);
    descriptor_ = base::descriptor{::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)};
    if (!descriptor_.open()) throw std::system_error{errno, std::system_category(), "signalfd"};
}

int forwarded_signals::next() const noexcept {
    signalfd_siginfo arrived{};
    const auto size = ::read(descriptor_.get(), &arrived, sizeof arrived);
    return size == static_cast<ssize_t>(sizeof arrived) ? static_cast<int>(arrived.ssi_signo) : 0;
}

void forwarded_signals::wait_for_end() const noexcept {
    for (;;) {
        pollfd watched{descriptor_.get(), POLLIN, 0};
        ::poll(&watched, 1, -1);
        for (int signal = next(); signal != 0; signal = next())
            if (ends_wait(signal)) return;
    }
}

bool forwarded_signals::ends_wait(int signal) noexcept {
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT;
}

}  // namespace turnstile::cli
