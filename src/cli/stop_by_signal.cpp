// SPDX-License-Identifier: Apache-2.0
#include "cli/stop_by_signal.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <csignal>

#include "cli/event_descriptor.hpp"

namespace turnstile::cli {
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

stop_by_signal::stop_by_signal(const forwarded_signals& signals)
    : signals_{signals}, over_{make_event()} {
    watcher_ = std::thread{[this] { watch(); }};
}

stop_by_signal::~stop_by_signal() {
    ::eventfd_write(over_.get(), 1);
    watcher_.join();
}

void stop_by_signal::watch() {
    std::array<pollfd, 2> watched{pollfd{signals_.descriptor(), POLLIN, 0},
                                  pollfd{over_.get(), POLLIN, 0}};
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
