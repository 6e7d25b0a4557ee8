// SPDX-License-Identifier: Apache-2.0
// stop_by_signal: makes SIGINT, SIGTERM, SIGHUP and SIGQUIT stop an operation in progress instead of the process.
//
//     const forwarded_signals signals;   // before the client: its threads inherit the blocked signals
//     stop_by_signal stop{signals};
//     ...                                // a file or a server may block this thread, so a signal ends the process
//     stop.arm();
//     order.take(target, {.stop = stop.token()});
//
// After arm(), the first signal stops the operation, and the second signal ends the process.
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

#include "cli/forwarded_signals.hpp"
#include "support/descriptor.hpp"

namespace turnstile::cli {

class stop_by_signal {
public:
    // Throws std::system_error. While this object exists, no other code may read the signals.
    explicit stop_by_signal(const forwarded_signals& signals);
    ~stop_by_signal();
    stop_by_signal(const stop_by_signal&) = delete;
    stop_by_signal& operator=(const stop_by_signal&) = delete;

    void arm() noexcept { armed_ = true; }
    [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }
    // The signal that stopped the operation, or 0.
    [[nodiscard]] int signal() const noexcept { return signal_; }

private:
    void watch();
    void handle(int signal);

    const forwarded_signals& signals_;
    const support::descriptor over_;
    std::stop_source source_;
    std::atomic<bool> armed_{false};
    std::atomic<int> signal_{0};
    std::thread watcher_;
};

}  // namespace turnstile::cli
