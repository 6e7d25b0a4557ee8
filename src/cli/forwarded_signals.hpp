// SPDX-License-Identifier: Apache-2.0
// forwarded_signals: receives the signals that a `turnstile` command handles or forwards. stop_by_signal: lets such a
// signal stop an operation.
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

#include "support/descriptor.hpp"
#include "support/wake_up.hpp"

namespace turnstile::cli {

enum class signals_taken { usual, all };

// Receives the signals that a `turnstile` command handles or forwards, through a descriptor.
//
// | signals_taken | the object receives                                                                        |
// |---------------|--------------------------------------------------------------------------------------------|
// | usual         | TERM, INT, HUP, QUIT, USR1, USR2, CONT                                                     |
// | all           | every signal that can be caught, also real-time signals. Exceptions: the signals of job    |
// |               | control (TSTP, TTIN, TTOU), CHLD, and fault signals (support/signals.hpp)                  |
class forwarded_signals {
public:
    // Blocks the signals for this thread and for threads that it starts later. Signals that were ignored stay ignored
    // (nohup). Throws std::system_error.
    explicit forwarded_signals(signals_taken which = signals_taken::usual);

    [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }
    // Returns the signal mask before this object was made. The command starts with that mask.
    [[nodiscard]] const sigset_t& mask_before() const noexcept { return before_; }
    // Returns the next signal that has arrived, or 0.
    [[nodiscard]] int next() const noexcept;
    // Waits for a signal for which ends_wait() is true.
    void wait_for_end() const noexcept;
    // True if the signal ends the wait for a lock, because it would end a process that does not catch it. USR1, USR2
    // and real-time signals have a meaning only for the command, and do not end the wait.
    [[nodiscard]] static bool ends_wait(int signal) noexcept;

private:
    sigset_t before_{};
    support::descriptor descriptor_;
};

// Makes SIGINT, SIGTERM, SIGHUP and SIGQUIT stop an operation in progress instead of the process.
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
    support::wake_up over_;
    std::stop_source source_;
    std::atomic<bool> armed_{false};
    std::atomic<int> signal_{0};
    std::thread watcher_;
};

}  // namespace turnstile::cli
