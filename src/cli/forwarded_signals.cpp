// SPDX-License-Identifier: Apache-2.0
#include "cli/forwarded_signals.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "support/signals.hpp"

namespace turnstile::cli {
namespace {

constexpr std::array k_usual{SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT};
constexpr std::array k_ends_wait{SIGTERM, SIGINT,  SIGHUP,  SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF,
                                 SIGXCPU, SIGXFSZ, SIGPIPE, SIGPWR,  SIGIO,   SIGSTKFLT};
constexpr std::array k_not_handed_on{SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCHLD};

template <class Signals>
bool contains(const Signals& signals, int signal) {
    return std::find(signals.begin(), signals.end(), signal) != signals.end();
}

bool is_taken(int signal, signals_taken which) {
    if (which == signals_taken::usual) return contains(k_usual, signal);
    return !contains(k_not_handed_on, signal) && !contains(support::k_fault_signals, signal);
}

// True if the kernel sent the signal because of this process's own write. Such a signal is not meant for the command.
bool is_own_fault(const signalfd_siginfo& arrived) {
    const auto signal = static_cast<int>(arrived.ssi_signo);
    return (signal == SIGPIPE || signal == SIGXFSZ) &&
           arrived.ssi_pid == static_cast<std::uint32_t>(::getpid());
}

bool is_ignored(int signal) {
    struct sigaction action {};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

forwarded_signals::forwarded_signals(signals_taken which) {
    sigset_t set;
    ::sigemptyset(&set);
    // sigaddset() refuses the two signals that the C library reserves.
    for (int signal = 1; signal <= SIGRTMAX; ++signal)
        if (is_taken(signal, which) && !is_ignored(signal)) ::sigaddset(&set, signal);
    ::sigprocmask(SIG_BLOCK, &set, &before_);
    descriptor_ = support::descriptor{::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)};
    if (!descriptor_.open()) throw std::system_error{errno, std::system_category(), "signalfd"};
}

int forwarded_signals::next() const noexcept {
    signalfd_siginfo arrived{};
    while (::read(descriptor_.get(), &arrived, sizeof arrived) ==
           static_cast<ssize_t>(sizeof arrived))
        if (!is_own_fault(arrived)) return static_cast<int>(arrived.ssi_signo);
    return 0;
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
    return contains(k_ends_wait, signal);
}

namespace {

void end_process_by(int signal) {
    ::signal(signal, SIG_DFL);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, signal);
    ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    ::raise(signal);
}

}  // namespace

stop_by_signal::stop_by_signal(const forwarded_signals& signals) : signals_{signals} {
    watcher_ = std::thread{[this] { watch(); }};
}

stop_by_signal::~stop_by_signal() {
    over_.set();
    watcher_.join();
}

void stop_by_signal::watch() {
    std::array<pollfd, 2> watched{pollfd{signals_.descriptor(), POLLIN, 0},
                                  pollfd{over_.fd(), POLLIN, 0}};
    while (watched[1].revents == 0) {
        ::poll(watched.data(), watched.size(), -1);
        for (int arrived = signals_.next(); arrived != 0; arrived = signals_.next())
            if (forwarded_signals::ends_wait(arrived)) handle(arrived);
    }
}

void stop_by_signal::handle(int signal) {
    if (!armed_ || signal_ != 0) return end_process_by(signal);
    signal_ = signal;
    source_.request_stop();
}

}  // namespace turnstile::cli
